package ib.core.wire;

/**
 * Header of the reliable multi-packet protocol (IBA vol. 1 section 13.6.2): 12 bytes after the
 * common header. See {@link Header} for how it is used.
 */
public final class RmppHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 12;

  /** RMPPVersion. */
  public static final int VERSION = 1;

  /** RMPPType of a segment. */
  public static final int TYPE_DATA = 1;

  /** RMPPType of an acknowledgement. */
  public static final int TYPE_ACK = 2;

  /** RMPPType of an end for want of resources. */
  public static final int TYPE_STOP = 3;

  /** RMPPType of an end by an error. */
  public static final int TYPE_ABORT = 4;

  /** RMPPFlags: the protocol is used. */
  public static final int FLAG_ACTIVE = 1;

  /** RMPPFlags: first segment. */
  public static final int FLAG_FIRST = 2;

  /** RMPPFlags: last segment. */
  public static final int FLAG_LAST = 4;

  /** RRespTime that says nothing (IBA 13.6.2.1). */
  public static final int NO_RESPONSE_TIME = 0x1f;

  /** Makes a view of nothing yet. */
  public RmppHeader() {
    super(BYTES);
  }

  /** {@return the version, 1} */
  public int rmppVersion() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the version, 1
   */
  public void rmppVersion(int value) {
    u8(0, value);
  }

  /** {@return the type: DATA, ACK, STOP or ABORT} */
  public int rmppType() {
    return u8(1);
  }

  /**
   * Sets it.
   *
   * @param value the type: DATA, ACK, STOP or ABORT
   */
  public void rmppType(int value) {
    u8(1, value);
  }

  /** {@return RRespTime: 4.096 us * 2^n, 31 for no statement} */
  public int respTime() {
    return bits(2, 3, 5);
  }

  /**
   * Sets it.
   *
   * @param value RRespTime: 4.096 us * 2^n, 31 for no statement
   */
  public void respTime(int value) {
    bits(2, 3, 5, value);
  }

  /** {@return the flags, 3 bits} */
  public int rmppFlags() {
    return bits(2, 0, 3);
  }

  /**
   * Sets it.
   *
   * @param value the flags, 3 bits
   */
  public void rmppFlags(int value) {
    bits(2, 0, 3, value);
  }

  /** {@return the status} */
  public int rmppStatus() {
    return u8(3);
  }

  /**
   * Sets it.
   *
   * @param value the status
   */
  public void rmppStatus(int value) {
    u8(3, value);
  }

  /** {@return data1: the segment number, from 1; of an ACK the last one received} */
  public int segmentNumber() {
    return u32(4);
  }

  /**
   * Sets it.
   *
   * @param value data1: the segment number, from 1; of an ACK the last one received
   */
  public void segmentNumber(int value) {
    u32(4, value);
  }

  /** {@return data2 of DATA: bytes of payload} */
  public int payloadLength() {
    return u32(8);
  }

  /**
   * Sets it.
   *
   * @param value data2 of DATA: bytes of payload
   */
  public void payloadLength(int value) {
    u32(8, value);
  }

  /** {@return data2 of ACK: the last segment that may be sent} */
  public int newWindowLast() {
    return u32(8);
  }

  /**
   * Sets it.
   *
   * @param value data2 of ACK: the last segment that may be sent
   */
  public void newWindowLast(int value) {
    u32(8, value);
  }
}
