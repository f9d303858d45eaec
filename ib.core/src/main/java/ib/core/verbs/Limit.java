package ib.core.verbs;

import java.util.Locale;

/**
 * The numeric limits of a device, in the order and with the names in which ibv_devinfo prints them.
 */
public enum Limit {
  /** Bytes of one memory region. */
  MAX_MR_SIZE,
  /** Page sizes, one bit each. */
  PAGE_SIZE_CAP,
  /** Queue pairs. */
  MAX_QP,
  /** Outstanding work requests of one work queue. */
  MAX_QP_WR,
  /** Scatter/gather entries of one work request. */
  MAX_SGE,
  /** Scatter/gather entries of an RDMA read. */
  MAX_SGE_RD,
  /** Completion queues. */
  MAX_CQ,
  /** Entries of one CQ. */
  MAX_CQE,
  /** Memory regions. */
  MAX_MR,
  /** Protection domains. */
  MAX_PD,
  /** Reads and atomics that one QP serves at a time. */
  MAX_QP_RD_ATOM,
  /** Reads and atomics that one EE context serves at a time. */
  MAX_EE_RD_ATOM,
  /** Reads and atomics that the device serves at a time. */
  MAX_RES_RD_ATOM,
  /** Reads and atomics that one QP may have under way. */
  MAX_QP_INIT_RD_ATOM,
  /** Reads and atomics that one EE context may have under way. */
  MAX_EE_INIT_RD_ATOM,
  /** EE contexts. */
  MAX_EE,
  /** Reliable datagram domains. */
  MAX_RDD,
  /** Memory windows. */
  MAX_MW,
  /** Raw IPv6 queue pairs. */
  MAX_RAW_IPV6_QP,
  /** Raw Ethertype queue pairs. */
  MAX_RAW_ETHY_QP,
  /** Multicast groups. */
  MAX_MCAST_GRP,
  /** QPs attached to one multicast group. */
  MAX_MCAST_QP_ATTACH,
  /** QPs attached to all multicast groups. */
  MAX_TOTAL_MCAST_QP_ATTACH,
  /** Address handles. */
  MAX_AH,
  /**
   * Fast memory regions of the old kind, which {@code map_phys_fmr} mapped and which Linux removed
   * in 5.8: 0, since there are none (S10). {@link MemoryRegion#map} says why.
   */
  MAX_FMR,
  /** Shared receive queues. */
  MAX_SRQ,
  /** Receives in one SRQ. */
  MAX_SRQ_WR,
  /** Scatter entries of a receive in an SRQ. */
  MAX_SRQ_SGE,
  /** P_Keys of a port. */
  MAX_PKEYS,
  /** Exponent n: the device answers within 4.096 us * 2^n, 0 to 31. */
  LOCAL_CA_ACK_DELAY,
  /** Bytes of one send with segmentation offload. */
  MAX_TSO,
  /** Receive indirection tables. */
  MAX_RWQ_INDIRECTION_TABLES,
  /** Entries of one receive indirection table. */
  MAX_RWQ_INDIRECTION_TABLE_SIZE,
  /** Receive hash functions, one bit each. */
  RX_HASH_FUNCTION,
  /** Receive hash fields, one bit each. */
  RX_HASH_FIELDS_MASK,
  /** Receive work queues. */
  MAX_WQ_TYPE_RQ,
  /** Lowest rate limit of a QP, kbit/s. */
  QP_RATE_LIMIT_MIN,
  /** Highest rate limit of a QP, kbit/s. */
  QP_RATE_LIMIT_MAX,
  /** Completion vectors. */
  NUM_COMP_VECTORS,
  /** Inline bytes of one send request. */
  MAX_INLINE_DATA,
  /** Bytes of one message. */
  MAX_MSG_SZ;

  private final String label;

  Limit() {
    label = name().toLowerCase(Locale.ROOT);
  }

  /** {@return the name in ibv_devinfo, for example {@code max_qp_wr}} */
  public String label() {
    return label;
  }
}
