package ib.core.sa;

/** A subnet manager (IBA vol. 1 section 15.2.5.10): LID, then SMInfo at byte 4 (IBA 14.2.5.13). */
public final class SmInfoRecord extends SaRecord<SmInfoRecord, SmInfoRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0018;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of its port. */
    LID(0, 16, 0),
    /** GUID of its port. */
    GUID(32, 64, 2),
    /** SM_Key, 0 for the untrusted. */
    SM_KEY(96, 64, 3),
    /** Counts up while it is alive. */
    ACT_COUNT(160, 32, 4),
    /** Priority, 15 is best. */
    PRIORITY(192, 4, 5),
    /** 0 not active, 1 discovering, 2 standby, 3 master. */
    SM_STATE(196, 4, 6);

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
  public SmInfoRecord() {
    super(ATTRIBUTE_ID, 28, Field.class);
  }

  @Override
  public SmInfoRecord fresh() {
    return new SmInfoRecord();
  }
}
