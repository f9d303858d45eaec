package ib.core.sa;

/** A block of 64 entries of a linear forwarding table (IBA vol. 1 section 15.2.5.6). */
public final class LftRecord extends SaRecord<LftRecord, LftRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0015;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the switch. */
    LID(0, 16, 0),
    /** Number of the block. */
    BLOCK_NUM(16, 16, 1),
    /** 64 ports, one per LID. */
    LFT(64, 512, -1);

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
  public LftRecord() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public LftRecord fresh() {
    return new LftRecord();
  }
}
