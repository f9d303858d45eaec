package ib.core.mad;

/** Status of management datagrams, low byte (IBA 13.4.7); the high byte belongs to the class. */
public final class MadStatus {
  /** All is well. */
  public static final int OK = 0;

  /** Try again later. */
  public static final int BUSY = 0x0001;

  /** Another port answers such requests, see ClassPortInfo. */
  public static final int REDIRECT = 0x0002;

  /** The version or class is not known. */
  public static final int BAD_VERSION = 0x0004;

  /** The method is not known. */
  public static final int BAD_METHOD = 0x0008;

  /** The method does not go with the attribute. */
  public static final int BAD_METHOD_ATTRIBUTE = 0x000C;

  /** A field has a value that is not allowed. */
  public static final int INVALID_FIELD = 0x001C;

  private MadStatus() {}
}
