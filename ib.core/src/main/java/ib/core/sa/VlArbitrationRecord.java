package ib.core.sa;

/** A block of 32 entries of a virtual lane arbitration table (IBA vol. 1 section 15.2.5.9). */
public final class VlArbitrationRecord
    extends SaRecord<VlArbitrationRecord, VlArbitrationRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0036;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of the port, or of the switch. */
    LID(0, 16, 0),
    /** Number of the port. */
    OUTPUT_PORT_NUM(16, 8, 1),
    /** 1 and 2: low priority; 3 and 4: high priority. */
    BLOCK_NUM(24, 8, 2),
    /** 32 entries: lane and weight, a byte each. */
    TABLE(64, 512, -1);

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
  public VlArbitrationRecord() {
    super(ATTRIBUTE_ID, 72, Field.class);
  }

  @Override
  public VlArbitrationRecord fresh() {
    return new VlArbitrationRecord();
  }
}
