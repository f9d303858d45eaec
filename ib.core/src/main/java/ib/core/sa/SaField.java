package ib.core.sa;

/** A field of a record: where its bits lie, and which component it is. */
public interface SaField {
  /**
   * A place in a record.
   *
   * @param bit offset of the first, most significant bit from the start of the record
   * @param bits how many
   * @param component the bit of the component mask, from 0; -1 of a field that has none
   */
  record Place(int bit, int bits, int component) {}

  /** {@return where it is} */
  Place place();

  /** {@return the name, upper case} */
  String name();

  /** {@return its bit of the component mask, or 0} */
  default long mask() {
    int c = place().component();
    return c < 0 ? 0 : 1L << c;
  }
}
