package ib.core.mad;

import org.jspecify.annotations.Nullable;

/** Why an RMPP transfer ended (IBA vol. 1 table 118). */
public enum RmppStatus {
  /** The transfer did not fail. */
  NORMAL(0),
  /** The sender or receiver has no resources; STOP. */
  RESOURCES_EXHAUSTED(1),
  /** The whole transfer took too long; ABORT. */
  TOTAL_TIME_TOO_LONG(118),
  /** The last segment's length does not fit. */
  INCONSISTENT_LAST_PAYLOAD(119),
  /** The first segment's length does not fit. */
  INCONSISTENT_FIRST_PAYLOAD(120),
  /** The type is not known. */
  BAD_TYPE(121),
  /** The acknowledged window ends before the segment that is acknowledged. */
  WINDOW_TOO_SMALL(122),
  /** A segment is acknowledged that was not sent. */
  SEGMENT_TOO_BIG(123),
  /** The status is not known. */
  ILLEGAL_STATUS(124),
  /** The version is not known. */
  UNSUPPORTED_VERSION(125),
  /** The peer did not acknowledge. */
  TOO_MANY_RETRIES(126),
  /** Anything else. */
  UNSPECIFIED(127);

  private static final RmppStatus[] VALUES = values();

  private final int value;

  RmppStatus(int value) {
    this.value = value;
  }

  /** {@return the number on the wire} */
  public int value() {
    return value;
  }

  /**
   * The constant of a number.
   *
   * @param value 8 bits
   * @return the constant, null when none has it
   */
  public static @Nullable RmppStatus of(int value) {
    for (RmppStatus s : VALUES) {
      if (s.value == value) {
        return s;
      }
    }
    return null;
  }
}
