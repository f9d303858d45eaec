package ib.core.sa;

/** A block of 32 P_Keys (IBA vol. 1 section 15.2.5.11). */
public final class PkeyTableRecord extends SaRecord<PkeyTableRecord, PkeyTableRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0033;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the port. */
    LID(0, 16, 0),
    /** Number of the block. */
    BLOCK_NUM(16, 16, 1),
    /** Number of the port. */
    PORT_NUM(32, 8, 2),
    /** 32 P_Keys of 16 bits. */
    PKEY_TABLE(64, 512, -1);

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
  public PkeyTableRecord() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public PkeyTableRecord fresh() {
    return new PkeyTableRecord();
  }
}
