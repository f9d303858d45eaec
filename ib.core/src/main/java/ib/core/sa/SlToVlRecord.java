package ib.core.sa;

/**
 * The virtual lanes of 16 service levels, from one port of a node to another (IBA vol. 1 section
 * 15.2.5.4).
 */
public final class SlToVlRecord extends SaRecord<SlToVlRecord, SlToVlRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0013;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the port, or of the switch. */
    LID(0, 16, 0),
    /** Port that packets come in by; 0 of an adapter. */
    INPUT_PORT_NUM(16, 8, 1),
    /** Port that they leave by; 0 of an adapter. */
    OUTPUT_PORT_NUM(24, 8, 2),
    /** 16 lanes of 4 bits. */
    TABLE(64, 64, -1);

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
  public SlToVlRecord() {
    super(ATTRIBUTE_ID, 16, Field.class);
  }

  @Override
  public SlToVlRecord fresh() {
    return new SlToVlRecord();
  }
}
