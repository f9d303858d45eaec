package ib.core.verbs;

/** The operation of a send request; numbers of {@code ib_wr_opcode}. */
public enum WrOpcode implements Numbered {
  /** Write to remote memory. */
  RDMA_WRITE(0),
  /** Write, then complete a receive of the peer with immediate data. */
  RDMA_WRITE_WITH_IMM(1),
  /** Send a message. */
  SEND(2),
  /** Send a message with immediate data. */
  SEND_WITH_IMM(3),
  /** Read remote memory. */
  RDMA_READ(4),
  /** Compare and swap eight remote bytes. */
  ATOMIC_CMP_AND_SWP(5),
  /** Fetch and add eight remote bytes. */
  ATOMIC_FETCH_AND_ADD(6),
  /** Invalidate a local key. */
  LOCAL_INV(7),
  /** Bind a memory window. */
  BIND_MW(8),
  /** Send a message and invalidate an rkey of the peer. */
  SEND_WITH_INV(9),
  /**
   * Send with segmentation offload (UD, TCP over IPoIB): {@link WrBuilder#wrSendTso}. NOT_SUPPORTED
   * in the list form.
   */
  LSO(10),
  /** Read, then invalidate the local key of the buffer (iWARP; NOT_SUPPORTED on InfiniBand). */
  RDMA_READ_WITH_INV(11),
  /** Compare and swap under masks; NOT_SUPPORTED by the software adapters. */
  MASKED_ATOMIC_CMP_AND_SWP(12),
  /** Fetch and add in fields given by a mask; NOT_SUPPORTED by the software adapters. */
  MASKED_ATOMIC_FETCH_AND_ADD(13),
  /** Flush remote memory to visibility or persistence. */
  FLUSH(14),
  /** Write eight remote bytes at once. */
  ATOMIC_WRITE(15),
  /** Fast registration of a memory region. */
  REG_MR(0x20),
  /** Fast registration with integrity metadata. */
  REG_MR_INTEGRITY(0x21);

  private static final WrOpcode[] VALUES = values();

  private final int value;

  WrOpcode(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_wr_opcode}} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_wr_opcode
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static WrOpcode of(int value) {
    return Numbered.of(VALUES, value, "use a value of ib_wr_opcode");
  }
}
