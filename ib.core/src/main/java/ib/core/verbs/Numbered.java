package ib.core.verbs;

/** An enum whose constants have numbers, those of a C enum. */
interface Numbered {
  /** {@return the number} */
  int value();

  /**
   * Returns the constant of a number.
   *
   * @param all all constants
   * @param value the number
   * @param use which numbers there are, for the exception
   * @param <E> the enum
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  static <E extends Enum<E> & Numbered> E of(E[] all, int value, String use) {
    for (E constant : all) {
      if (constant.value() == value) {
        return constant;
      }
    }
    String type = all[0].getDeclaringClass().getSimpleName();
    throw new IbInvalidException(type + " " + value, "no such value", use);
  }
}
