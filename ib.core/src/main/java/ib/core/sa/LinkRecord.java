package ib.core.sa;

/** A link (IBA vol. 1 section 15.2.5.13). */
public final class LinkRecord extends SaRecord<LinkRecord, LinkRecord.Field> {
  /** Attribute identifier. */
  public static final int ATTRIBUTE_ID = 0x0020;

  /** Fields. */
  public enum Field implements SaField {
    /** LID of one end. */
    FROM_LID(0, 16, 0),
    /** Port of one end. */
    FROM_PORT(16, 8, 1),
    /** Port of the other end. */
    TO_PORT(24, 8, 2),
    /** LID of the other end. */
    TO_LID(32, 16, 3);

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
  public LinkRecord() {
    super(ATTRIBUTE_ID, 8, Field.class);
  }

  @Override
  public LinkRecord fresh() {
    return new LinkRecord();
  }
}
