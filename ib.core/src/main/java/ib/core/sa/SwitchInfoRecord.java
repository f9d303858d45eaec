package ib.core.sa;

/** A SwitchInfo of the subnet: capabilities and state of a switch (IBA vol. 1 section 15.2.5.5). */
public final class SwitchInfoRecord extends SaRecord<SwitchInfoRecord, SwitchInfoRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0014;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the switch. */
    LID(0, 16, 0),
    /** Attribute SwitchInfo, 20 bytes. */
    SWITCH_INFO(32, 160, -1);

    private final Place place;

    Field(int bit, int bits, int component) {
      place = new Place(bit, bits, component);
    }

    @Override
    public Place place() {
      return place;
    }
  }

  /** Makes a record with all fields 0. */
  public SwitchInfoRecord() {
    super(ATTRIBUTE_ID, 24, Field.class);
  }

  @Override
  public SwitchInfoRecord fresh() {
    return new SwitchInfoRecord();
  }
}
