package ib.engine.qp;

import java.util.Locale;

/**
 * What a device counts (D11): the names that Linux rxe uses, then a counter for each reason to drop
 * (D9).
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
  /** Send requests that completed with an error. */
  SEND_ERR,
  /** Times a port left ACTIVE. */
  LINK_DOWNED,
  /** Send requests completed. */
  RDMA_SENDS,
  /** Receive requests completed. */
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
  /** No queue pair is attached to the group. */
  DROP_NO_GROUP,
  /** Too many copies of a multicast packet under way. */
  DROP_REPLICA,
  /** The sender's memory was gone. */
  DROP_FAULT;

  private final String label;

  HcaCounter() {
    label = name().toLowerCase(Locale.ROOT);
  }

  /** {@return the name that tools print} */
  public String label() {
    return label;
  }
}
