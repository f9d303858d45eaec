package ib.core.sa;

import ib.core.mad.MadStatus;

/** The status of a subnet administrator's response, all 16 bits (IBA vol. 1 table 183, 13.4.7). */
public enum SaStatus {
  /** All is well. */
  OK(MadStatus.OK),
  /** Try again later. */
  BUSY(MadStatus.BUSY),
  /** Another port answers. */
  REDIRECT(MadStatus.REDIRECT),
  /** The class or version is not known. */
  BAD_VERSION(MadStatus.BAD_VERSION),
  /** The method is not known. */
  BAD_METHOD(MadStatus.BAD_METHOD),
  /** The method does not go with the attribute. */
  BAD_METHOD_ATTRIBUTE(MadStatus.BAD_METHOD_ATTRIBUTE),
  /** A field has a value that is not allowed. */
  INVALID_FIELD(MadStatus.INVALID_FIELD),
  /** The subnet administrator has not enough resources. */
  NO_RESOURCES(0x0100),
  /** The request is not valid. */
  REQUEST_INVALID(0x0200),
  /** No record matches. */
  NO_RECORDS(0x0300),
  /** More records match than the method can return. */
  TOO_MANY_RECORDS(0x0400),
  /** A GID is not valid. */
  INVALID_GID(0x0500),
  /** Components that are needed do not count. */
  INSUFFICIENT_COMPONENTS(0x0600),
  /** The subnet administrator refuses the request. */
  DENIED(0x0700),
  /** The subnet administrator suggests another priority. */
  PRIORITY_SUGGESTED(0x0800),
  /** Anything else. */
  OTHER(-1);

  private static final SaStatus[] VALUES = values();

  private final int value;

  SaStatus(int value) {
    this.value = value;
  }

  /** {@return the number on the wire, -1 of {@link #OTHER}} */
  public int value() {
    return value;
  }

  /**
   * The constant of a number.
   *
   * @param value 16 bits
   * @return the constant, {@link #OTHER} when none has it
   */
  public static SaStatus of(int value) {
    for (SaStatus s : VALUES) {
      if (s.value == value) {
        return s;
      }
    }
    return OTHER;
  }
}
