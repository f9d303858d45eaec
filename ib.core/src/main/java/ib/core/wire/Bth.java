package ib.core.wire;

/**
 * Base transport header (IBA vol. 1 section 9.2): 12 bytes. See {@link Header} for how it is used.
 */
public final class Bth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 12;

  /** Makes a view of nothing yet. */
  public Bth() {
    super(BYTES);
  }

  /** {@return the opcode, 8 bits: see {@link BthOpcode}} */
  public int opcode() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the opcode, 8 bits: see {@link BthOpcode}
   */
  public void opcode(int value) {
    u8(0, value);
  }

  /** {@return whether the receiver is to raise an event} */
  public boolean solicitedEvent() {
    return bits(1, 7, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value whether the receiver is to raise an event
   */
  public void solicitedEvent(boolean value) {
    bits(1, 7, 1, value ? 1 : 0);
  }

  /** {@return the migration state: true for migrated, the state of a path without APM} */
  public boolean migReq() {
    return bits(1, 6, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value the migration state: true for migrated, the state of a path without APM
   */
  public void migReq(boolean value) {
    bits(1, 6, 1, value ? 1 : 0);
  }

  /** {@return how many bytes pad the payload, 0 to 3} */
  public int padCnt() {
    return bits(1, 4, 2);
  }

  /**
   * Sets it.
   *
   * @param value how many bytes pad the payload, 0 to 3
   */
  public void padCnt(int value) {
    bits(1, 4, 2, value);
  }

  /** {@return the transport version, 0} */
  public int tver() {
    return bits(1, 0, 4);
  }

  /**
   * Sets it.
   *
   * @param value the transport version, 0
   */
  public void tver(int value) {
    bits(1, 0, 4, value);
  }

  /** {@return the P_Key, 16 bits} */
  public int pkey() {
    return u16(2);
  }

  /**
   * Sets it.
   *
   * @param value the P_Key, 16 bits
   */
  public void pkey(int value) {
    u16(2, value);
  }

  /** {@return the forward congestion notification} */
  public boolean fecn() {
    return bits(4, 7, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value the forward congestion notification
   */
  public void fecn(boolean value) {
    bits(4, 7, 1, value ? 1 : 0);
  }

  /** {@return the backward congestion notification} */
  public boolean becn() {
    return bits(4, 6, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value the backward congestion notification
   */
  public void becn(boolean value) {
    bits(4, 6, 1, value ? 1 : 0);
  }

  /** {@return the destination queue pair, 24 bits} */
  public int destQp() {
    return u24(5);
  }

  /**
   * Sets it.
   *
   * @param value the destination queue pair, 24 bits
   */
  public void destQp(int value) {
    u24(5, value);
  }

  /** {@return whether the responder is asked to acknowledge} */
  public boolean ackReq() {
    return bits(8, 7, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value whether the responder is asked to acknowledge
   */
  public void ackReq(boolean value) {
    bits(8, 7, 1, value ? 1 : 0);
  }

  /** {@return the packet sequence number, 24 bits} */
  public int psn() {
    return u24(9);
  }

  /**
   * Sets it.
   *
   * @param value the packet sequence number, 24 bits
   */
  public void psn(int value) {
    u24(9, value);
  }

  /**
   * Sets all fields at once; transport version and reserved bits are 0.
   *
   * @param opcode the opcode, 8 bits
   * @param solicitedEvent whether the receiver is to raise an event
   * @param migReq the migration state
   * @param padCnt how many bytes pad the payload, 0 to 3
   * @param pkey the P_Key, 16 bits
   * @param fecn the forward congestion notification
   * @param becn the backward congestion notification
   * @param destQp the destination queue pair, 24 bits
   * @param ackReq whether the responder is asked to acknowledge
   * @param psn the packet sequence number, 24 bits
   */
  public void set(
      int opcode,
      boolean solicitedEvent,
      boolean migReq,
      int padCnt,
      int pkey,
      boolean fecn,
      boolean becn,
      int destQp,
      boolean ackReq,
      int psn) {
    int flags = (solicitedEvent ? 0x80 : 0) | (migReq ? 0x40 : 0) | (padCnt & 3) << 4;
    u32(0, opcode << 24 | flags << 16 | pkey & 0xffff);
    u32(4, (fecn ? 1 << 31 : 0) | (becn ? 1 << 30 : 0) | destQp & 0xffffff);
    u32(8, (ackReq ? 1 << 31 : 0) | psn & 0xffffff);
  }
}
