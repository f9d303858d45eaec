package ib.core.verbs;

/** Refuses numbers that do not fit the field they are for. */
final class Range {
  private Range() {}

  /** Returns {@code value} if it is in 0..max, and throws {@link IbInvalidException} otherwise. */
  static int check(String name, int value, int max) {
    if (value < 0 || value > max) {
      throw new IbInvalidException(name + " " + value, "out of range", "0 to " + max);
    }
    return value;
  }
}
