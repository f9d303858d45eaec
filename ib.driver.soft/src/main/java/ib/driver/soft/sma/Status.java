package ib.driver.soft.sma;

/** The values of the status field of a response (IBA 13.4.7). */
final class Status {
  /** The request was executed. */
  static final int OK = 0;

  /** The base version or the class version is not supported. */
  static final int BAD_VERSION = 1 << 2;

  /** The method is not supported. */
  static final int BAD_METHOD = 2 << 2;

  /** The attribute is not supported, or not with this method. */
  static final int BAD_ATTRIBUTE = 3 << 2;

  /** A field or the attribute modifier has a value that is not allowed. */
  static final int BAD_FIELD = 7 << 2;

  private Status() {}
}
