package ib.core.verbs;

/** Type of a memory window; numbers of {@code ib_mw_type}. */
public enum MwType implements Numbered {
  /** Bound by a verb; belongs to its protection domain. */
  TYPE_1(1),
  /** Bound by a posted request; the consumer chooses the key's low byte. */
  TYPE_2(2);

  private final int value;

  MwType(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_mw_type}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_mw_type 1 or 2
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static MwType of(int value) {
    return Numbered.of(values(), value, "use 1 or 2");
  }
}
