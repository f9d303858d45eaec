package ib.core.verbs;

/**
 * The operation of a completed work request; numbers of {@code ib_wc_opcode}. Valid only when the
 * status is SUCCESS.
 */
public enum WcOpcode implements Numbered {
  /** Send, in any of its forms. */
  SEND(0),
  /** RDMA write, with or without immediate data. */
  RDMA_WRITE(1),
  /** RDMA read. */
  RDMA_READ(2),
  /** Atomic compare and swap. */
  COMP_SWAP(3),
  /** Atomic fetch and add. */
  FETCH_ADD(4),
  /** Memory window bound. */
  BIND_MW(5),
  /** Local key invalidated. */
  LOCAL_INV(6),
  /** Send with segmentation offload. */
  LSO(7),
  /** Remote memory flushed. */
  FLUSH(8),
  /** Atomic write of eight bytes. */
  ATOMIC_WRITE(9),
  /** Fast registration done. */
  REG_MR(10),
  /** Masked compare and swap. */
  MASKED_COMP_SWAP(11),
  /** Masked fetch and add. */
  MASKED_FETCH_ADD(12),
  /** A message was received. */
  RECV(128),
  /** An RDMA write with immediate data arrived. */
  RECV_RDMA_WITH_IMM(129);

  private static final WcOpcode[] VALUES = values();

  private final int value;

  WcOpcode(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_wc_opcode}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return whether it completes a receive request} */
  public boolean isReceive() {
    return value >= 128;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_wc_opcode
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static WcOpcode of(int value) {
    return Numbered.of(VALUES, value, "use a value of ib_wc_opcode");
  }
}
