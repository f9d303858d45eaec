package ib.core.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Which attributes of a {@link QpAttr} are meant; bits of {@code ibv_qp_attr_mask}. */
public enum QpAttrMask {
  /** The state to go to. */
  STATE,
  /** The state the caller believes the QP is in. */
  CUR_STATE,
  /** Raise SQ_DRAINED when drained. */
  EN_SQD_ASYNC_NOTIFY,
  /** Access flags: the operations that the peer may do. */
  ACCESS_FLAGS,
  /** Index of the P_Key. */
  PKEY_INDEX,
  /** Port number. */
  PORT,
  /** Q_Key of a datagram QP. */
  QKEY,
  /** Address of the peer. */
  AV,
  /** MTU of the path. */
  PATH_MTU,
  /** Local ACK timeout. */
  TIMEOUT,
  /** Retries after timeouts and sequence errors. */
  RETRY_CNT,
  /** Retries after receiver not ready. */
  RNR_RETRY,
  /** First PSN expected. */
  RQ_PSN,
  /** Reads and atomics under way as initiator. */
  MAX_QP_RD_ATOMIC,
  /** Alternate path. */
  ALT_PATH,
  /** Shortest wait that an RNR NAK asks for. */
  MIN_RNR_TIMER,
  /** First PSN sent. */
  SQ_PSN,
  /** Reads and atomics served as responder. */
  MAX_DEST_RD_ATOMIC,
  /** Path migration state. */
  PATH_MIG_STATE,
  /** Capacities of the work queues. */
  CAP,
  /** QP number of the peer. */
  DEST_QPN;

  /** {@return the bit in {@code ibv_qp_attr_mask}} */
  public int mask() {
    return 1 << ordinal(); // C numbers the bits 0 to 20 without a gap, in this order
  }

  /**
   * The constants of a mask, in order. Any context.
   *
   * @param mask bits of {@code ibv_qp_attr_mask}, 0 to 0x1FFFFF
   * @return a set that cannot be changed
   * @throws IbInvalidException if a bit has no constant
   */
  public static Set<QpAttrMask> of(int mask) {
    EnumSet<QpAttrMask> set = EnumSet.noneOf(QpAttrMask.class);
    int rest = mask;
    for (QpAttrMask m : values()) {
      if ((mask & m.mask()) != 0) {
        set.add(m);
        rest &= ~m.mask();
      }
    }
    if (rest != 0) {
      throw new IbInvalidException(
          "QP attribute mask 0x" + Integer.toHexString(mask), "unknown bits", "use bits 0 to 20");
    }
    return Collections.unmodifiableSet(set);
  }
}
