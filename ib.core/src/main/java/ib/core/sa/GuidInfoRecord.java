package ib.core.sa;

/** A block of 8 GUIDs of a port (IBA vol. 1 section 15.2.5.18). */
public final class GuidInfoRecord extends SaRecord<GuidInfoRecord, GuidInfoRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0030;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the port. */
    LID(0, 16, 0),
    /** Number of the block. */
    BLOCK_NUM(16, 8, 1),
    /** 8 GUIDs of 64 bits. */
    GUIDS(64, 512, -1);

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
  public GuidInfoRecord() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public GuidInfoRecord fresh() {
    return new GuidInfoRecord();
  }
}
