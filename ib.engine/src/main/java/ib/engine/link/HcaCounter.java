package ib.engine.link;

import ib.core.wire.DropReason;
import java.util.Locale;

/**
 * The counters of a device (D11): those with the names of Linux rxe, then one for each reason to
 * drop a packet (D9).
 */
public enum HcaCounter {
  /** Packets sent. */
  SENT_PKTS,
  /** Packets received. */
  RCVD_PKTS,
  /** Requests that were answered before. */
  DUPLICATE_REQUEST,
  /** Requests that came too early. */
  OUT_OF_SEQ_REQUEST,
  /** RNR NAKs received. */
  RCVD_RNR_ERR,
  /** RNR NAKs sent. */
  SEND_RNR_ERR,
  /** Sequence NAKs received. */
  RCVD_SEQ_ERR,
  /** Acknowledgements that covered several requests. */
  ACK_DEFERRED,
  /** Requests given up after all retries. */
  RETRY_EXCEEDED_ERR,
  /** Requests given up after all RNR retries. */
  RETRY_RNR_EXCEEDED_ERR,
  /** Retransmissions. */
  COMPLETER_RETRY_ERR,
  /** Congestion notification packets sent, because a router has marked a request (IBA A17.9.3). */
  NP_CNP_SENT,
  /** Congestion notification packets after which a queue pair may send less (IBA A17.9.3). */
  RP_CNP_HANDLED,
  /**
   * Congestion notification packets for a queue pair that has no send window: not a reliable one.
   */
  RP_CNP_IGNORED,
  /** Send requests that completed with an error. */
  SEND_ERR,
  /** Times a port left ACTIVE. */
  LINK_DOWNED,
  /** Send requests that succeeded. */
  RDMA_SENDS,
  /** Receive requests that a message has filled. */
  RDMA_RECVS,
  /** The port was not active. */
  DROP_PORT_DOWN,
  /** The ICRC does not match. */
  DROP_ICRC,
  /** No such queue pair. */
  DROP_NO_QP,
  /** The opcode is not one of the queue pair's service. */
  DROP_QP_TYPE,
  /** The state of the queue pair does not allow it. */
  DROP_QP_STATE,
  /** The P_Keys do not match. */
  DROP_PKEY,
  /** The Q_Keys do not match. */
  DROP_QKEY,
  /** Not from the peer of the connection. */
  DROP_SOURCE,
  /** Unknown opcode. */
  DROP_OPCODE,
  /** A datagram or unreliable message found no receive. */
  DROP_NO_RECEIVE,
  /** Part of an unreliable message that is incomplete. */
  DROP_SEQUENCE,
  /** Later packets of a sequence that was refused once. */
  DROP_AFTER_NAK,
  /** An acknowledgement of something that is not under way. */
  DROP_ACK_PSN,
  /** A reserved AETH syndrome. */
  DROP_SYNDROME,
  /** A response that does not fit its request. */
  DROP_RESPONSE,
  /** A request that was executed long ago and whose result is not kept any more. */
  DROP_DUPLICATE,
  /** No queue pair is attached to the group. */
  DROP_NO_GROUP,
  /** Too many copies of a multicast packet under way. */
  DROP_REPLICA,
  /** The sender's memory was gone. */
  DROP_FAULT,
  /** The source is muted for a while, because it has guessed keys or numbers. */
  DROP_MUTED,
  /** Requests for memory with an rkey, a range or a right that is not valid. */
  RKEY_VIOLATIONS,
  /** Requests so far from the sequence number expected that only a guess brings them. */
  PSN_VIOLATIONS,
  /** Times a source was muted. */
  SOURCES_MUTED,
  /** Exceptions that ended a step of a queue pair, its QP_FATAL, or a flush of a wire. */
  STEPS_CRASHED,
  // ---- found in the bytes: one for each DropReason, ICRC and opcode stand above ----
  /** Fewer bytes than the headers take. */
  DROP_SHORT,
  /** Not RoCEv2. */
  DROP_NOT_ROCE,
  /** A malformed IP header. */
  DROP_IP,
  /** Another link version. */
  DROP_LVER,
  /** A raw packet. */
  DROP_LNH,
  /** A malformed GRH. */
  DROP_GRH,
  /** Lengths that do not agree. */
  DROP_LENGTH,
  /** The VCRC does not match. */
  DROP_VCRC,
  /** Another transport version. */
  DROP_TVER,
  /** More padding than bytes. */
  DROP_PAD,
  /** Another version of the MAD header. */
  DROP_MAD_VERSION,
  /** Packets that passed while a capture had no free slot for them. */
  CAPTURE_DROPPED,
  /** Steps of the device's worker that ended by a defect, or for want of memory; it goes on. */
  WORKER_ERRORS;

  private static final HcaCounter[] BY_REASON = new HcaCounter[DropReason.values().length];

  static {
    for (DropReason reason : DropReason.values()) {
      BY_REASON[reason.ordinal()] = valueOf("DROP_" + reason.name());
    }
  }

  private final String label;

  HcaCounter() {
    label = name().toLowerCase(Locale.ROOT);
  }

  /** {@return the name that tools print} */
  public String label() {
    return label;
  }

  /**
   * The counter of a reason to drop a packet because of its bytes. Allocates nothing.
   *
   * @param reason the reason
   * @return its counter, which has the same name
   */
  public static HcaCounter of(DropReason reason) {
    return BY_REASON[reason.ordinal()];
  }
}
