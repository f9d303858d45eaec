package ib.driver.soft.sma;

/** Status of an answered MAD (IBA 13.4.7). */
final class Status {
  /** Done. */
  static final int OK = 0;

  /** Base or class version not known. */
  static final int BAD_VERSION = 1 << 2;

  /** Method not known. */
  static final int BAD_METHOD = 2 << 2;

  /** Attribute not known, or not with this method. */
  static final int BAD_ATTRIBUTE = 3 << 2;

  /** A field or the modifier has a value that does not go. */
  static final int BAD_FIELD = 7 << 2;

  private Status() {}
}
