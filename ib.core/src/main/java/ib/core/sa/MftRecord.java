package ib.core.sa;

/** A block of a multicast forwarding table: 32 MLIDs, 16 ports (IBA vol. 1 section 15.2.5.8). */
public final class MftRecord extends SaRecord<MftRecord, MftRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0017;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the switch. */
    LID(0, 16, 0),
    /** Which 16 ports. */
    POSITION(16, 4, 1),
    /** Number of the block. */
    BLOCK_NUM(23, 9, 3),
    /** 32 masks of 16 ports. */
    MFT(64, 512, -1);

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
  public MftRecord() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public MftRecord fresh() {
    return new MftRecord();
  }
}
