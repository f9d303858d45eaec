package ib.core.sa;

/** A subscription that the subnet administrator has (IBA vol. 1 section 15.2.5.12). */
public final class InformInfoRecord extends SaRecord<InformInfoRecord, InformInfoRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x00F3;

  /** Fields. */
  public enum Field implements SaField {
    /** Port of the subscriber. */
    SUBSCRIBER_GID(0, 128, 0),
    /** Number of the subscription, of those of that port. */
    SUBSCRIBER_ENUM(128, 16, 1),
    /** Attribute InformInfo, 36 bytes. */
    INFORM_INFO(192, 288, -1);

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
  public InformInfoRecord() {
    super(ATTRIBUTE_ID, 60, Field.class);
  }

  @Override
  public InformInfoRecord fresh() {
    return new InformInfoRecord();
  }
}
