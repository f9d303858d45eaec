package ib.core.mad.cm;

import ib.core.mad.smp.MadField;

/**
 * The fields of all messages (IBA 12.6.5 to 12.6.15), in the order of the specification (CM-5). A
 * row is the message, the label, the byte, the bit from the left in that byte, and the width.
 */
public enum CmField implements MadField {
  /** Name of the connection at the sender. */
  REQ_LOCAL_COMM_ID(CmKind.REQ, "local_comm_id", 0, 0, 32),
  /** ECE vendor (CM-12). */
  REQ_VENDOR(CmKind.REQ, "vendor", 5, 0, 24),
  /** Service ID. */
  REQ_SERVICE_ID(CmKind.REQ, "service_id", 8, 0, 64),
  /** GUID of the sender's adapter. */
  REQ_CA_GUID(CmKind.REQ, "ca_guid", 16, 0, 64),
  /** Q_Key. */
  REQ_QKEY(CmKind.REQ, "qkey", 28, 0, 32),
  /** Queue pair of the sender. */
  REQ_QPN(CmKind.REQ, "qpn", 32, 0, 24),
  /** Reads and atomics that the sender serves at once. */
  REQ_RESPONDER_RESOURCES(CmKind.REQ, "responder_resources", 35, 0, 8),
  /** EE context number of the sender (reliable datagrams). */
  REQ_LOCAL_EECN(CmKind.REQ, "local_eecn", 36, 0, 24),
  /** Reads and atomics that the sender will have outstanding. */
  REQ_INITIATOR_DEPTH(CmKind.REQ, "initiator_depth", 39, 0, 8),
  /** EE context number of the receiver (reliable datagrams). */
  REQ_REMOTE_EECN(CmKind.REQ, "remote_eecn", 40, 0, 24),
  /** How long the receiver may take, an exponent. */
  REQ_REMOTE_CM_TIMEOUT(CmKind.REQ, "remote_cm_timeout", 43, 0, 5),
  /** 0 RC, 1 UC, 2 RD, 3 see the extended transport. */
  REQ_TRANSPORT(CmKind.REQ, "transport", 43, 5, 2),
  /** End-to-end flow control. */
  REQ_FLOW_CONTROL(CmKind.REQ, "flow_control", 43, 7, 1),
  /** PSN with which the receiver of the message begins to send. */
  REQ_STARTING_PSN(CmKind.REQ, "starting_psn", 44, 0, 24),
  /** How long the sender takes, an exponent. */
  REQ_LOCAL_CM_TIMEOUT(CmKind.REQ, "local_cm_timeout", 47, 0, 5),
  /** Retries of both queue pairs. */
  REQ_RETRY(CmKind.REQ, "retry", 47, 5, 3),
  /** P_Key. */
  REQ_PKEY(CmKind.REQ, "pkey", 48, 0, 16),
  /** Path MTU, code 1 to 5. */
  REQ_MTU(CmKind.REQ, "mtu", 50, 0, 4),
  /** RDC exists. */
  REQ_RDC(CmKind.REQ, "rdc", 50, 4, 1),
  /** RNR retries of the receiver's queue pair. */
  REQ_RNR_RETRY(CmKind.REQ, "rnr_retry", 50, 5, 3),
  /** Repetitions of a message of the connection manager. */
  REQ_MAX_CM_RETRIES(CmKind.REQ, "max_cm_retries", 51, 0, 4),
  /** The queue pair has a shared receive queue. */
  REQ_SRQ(CmKind.REQ, "srq", 51, 4, 1),
  /** 1 XRC, with transport 3. */
  REQ_EXT_TRANSPORT(CmKind.REQ, "ext_transport", 51, 5, 3),
  /** LID of the sender. */
  REQ_LOCAL_LID(CmKind.REQ, "local_lid", 52, 0, 16),
  /** LID of the receiver. */
  REQ_REMOTE_LID(CmKind.REQ, "remote_lid", 54, 0, 16),
  /** GID of the sender, first half. */
  REQ_LOCAL_GID(CmKind.REQ, "local_gid", 56, 0, 64),
  /** GID of the sender, second half. */
  REQ_LOCAL_GID_LOW(CmKind.REQ, "local_gid_low", 64, 0, 64),
  /** GID of the receiver, first half. */
  REQ_REMOTE_GID(CmKind.REQ, "remote_gid", 72, 0, 64),
  /** GID of the receiver, second half. */
  REQ_REMOTE_GID_LOW(CmKind.REQ, "remote_gid_low", 80, 0, 64),
  /** Flow label. */
  REQ_FLOW_LABEL(CmKind.REQ, "flow_label", 88, 0, 20),
  /** Packet rate, code of {@code ibv_rate}. */
  REQ_RATE(CmKind.REQ, "rate", 91, 2, 6),
  /** Traffic class. */
  REQ_TCLASS(CmKind.REQ, "tclass", 92, 0, 8),
  /** Hop limit. */
  REQ_HOP(CmKind.REQ, "hop", 93, 0, 8),
  /** Service level. */
  REQ_SL(CmKind.REQ, "sl", 94, 0, 4),
  /** The path stays in the subnet. */
  REQ_SUBNET_LOCAL(CmKind.REQ, "subnet_local", 94, 4, 1),
  /** ACK timeout of the receiver's queue pair, an exponent. */
  REQ_ACK_TIMEOUT(CmKind.REQ, "ack_timeout", 95, 0, 5),
  /** LID of the sender on the alternate path; 0 when there is no such path. */
  REQ_ALT_LOCAL_LID(CmKind.REQ, "alt_local_lid", 96, 0, 16),
  /** LID of the receiver on the alternate path. */
  REQ_ALT_REMOTE_LID(CmKind.REQ, "alt_remote_lid", 98, 0, 16),
  /** GID of the sender on the alternate path, first half. */
  REQ_ALT_LOCAL_GID(CmKind.REQ, "alt_local_gid", 100, 0, 64),
  /** GID of the sender on the alternate path, second half. */
  REQ_ALT_LOCAL_GID_LOW(CmKind.REQ, "alt_local_gid_low", 108, 0, 64),
  /** GID of the receiver on the alternate path, first half. */
  REQ_ALT_REMOTE_GID(CmKind.REQ, "alt_remote_gid", 116, 0, 64),
  /** GID of the receiver on the alternate path, second half. */
  REQ_ALT_REMOTE_GID_LOW(CmKind.REQ, "alt_remote_gid_low", 124, 0, 64),
  /** Flow label of the alternate path. */
  REQ_ALT_FLOW_LABEL(CmKind.REQ, "alt_flow_label", 132, 0, 20),
  /** Packet rate of the alternate path, code of {@code ibv_rate}. */
  REQ_ALT_RATE(CmKind.REQ, "alt_rate", 135, 2, 6),
  /** Traffic class of the alternate path. */
  REQ_ALT_TCLASS(CmKind.REQ, "alt_tclass", 136, 0, 8),
  /** Hop limit of the alternate path. */
  REQ_ALT_HOP(CmKind.REQ, "alt_hop", 137, 0, 8),
  /** Service level of the alternate path. */
  REQ_ALT_SL(CmKind.REQ, "alt_sl", 138, 0, 4),
  /** The alternate path stays in the subnet. */
  REQ_ALT_SUBNET_LOCAL(CmKind.REQ, "alt_subnet_local", 138, 4, 1),
  /** ACK timeout of the receiver's queue pair on the alternate path, an exponent. */
  REQ_ALT_ACK_TIMEOUT(CmKind.REQ, "alt_ack_timeout", 139, 0, 5),
  /** The sender understands SuggestAlternatePath. */
  REQ_SAP(CmKind.REQ, "sap_supported", 139, 5, 1),
  /** Name of the connection at the sender. */
  MRA_LOCAL_COMM_ID(CmKind.MRA, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  MRA_REMOTE_COMM_ID(CmKind.MRA, "remote_comm_id", 4, 0, 32),
  /** Message that this one answers: 0 REQ, 1 REP, 2 another. */
  MRA_MSG(CmKind.MRA, "msg", 8, 0, 2),
  /** How long the answer takes, an exponent. */
  MRA_SERVICE_TIMEOUT(CmKind.MRA, "service_timeout", 9, 0, 5),
  /** Name of the connection at the sender. */
  REJ_LOCAL_COMM_ID(CmKind.REJ, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  REJ_REMOTE_COMM_ID(CmKind.REJ, "remote_comm_id", 4, 0, 32),
  /** Message that this one answers: 0 REQ, 1 REP, 2 another. */
  REJ_MSG(CmKind.REJ, "msg", 8, 0, 2),
  /** Length of the additional information. */
  REJ_INFO_LEN(CmKind.REJ, "info_len", 9, 0, 7),
  /** Reason (IBA table 108). */
  REJ_REASON(CmKind.REJ, "reason", 10, 0, 16),
  /** Name of the connection at the sender. */
  REP_LOCAL_COMM_ID(CmKind.REP, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  REP_REMOTE_COMM_ID(CmKind.REP, "remote_comm_id", 4, 0, 32),
  /** Q_Key. */
  REP_QKEY(CmKind.REP, "qkey", 8, 0, 32),
  /** Queue pair of the sender. */
  REP_QPN(CmKind.REP, "qpn", 12, 0, 24),
  /** ECE vendor, first byte (CM-12). */
  REP_VENDOR_H(CmKind.REP, "vendor_h", 15, 0, 8),
  /** EE context number. */
  REP_EECN(CmKind.REP, "eecn", 16, 0, 24),
  /** ECE vendor, second byte. */
  REP_VENDOR_M(CmKind.REP, "vendor_m", 19, 0, 8),
  /** PSN with which the receiver of the message begins to send. */
  REP_STARTING_PSN(CmKind.REP, "starting_psn", 20, 0, 24),
  /** ECE vendor, third byte. */
  REP_VENDOR_L(CmKind.REP, "vendor_l", 23, 0, 8),
  /** Reads and atomics that the sender serves at once. */
  REP_RESPONDER_RESOURCES(CmKind.REP, "responder_resources", 24, 0, 8),
  /** Reads and atomics that the sender will have outstanding. */
  REP_INITIATOR_DEPTH(CmKind.REP, "initiator_depth", 25, 0, 8),
  /** Delay of an ACK in the adapter, an exponent. */
  REP_ACK_DELAY(CmKind.REP, "ack_delay", 26, 0, 5),
  /** 0 failover accepted, 1 not supported, 2 rejected. */
  REP_FAILOVER(CmKind.REP, "failover", 26, 5, 2),
  /** End-to-end flow control. */
  REP_FLOW_CONTROL(CmKind.REP, "flow_control", 26, 7, 1),
  /** RNR retries of the receiver's queue pair. */
  REP_RNR_RETRY(CmKind.REP, "rnr_retry", 27, 0, 3),
  /** The queue pair has a shared receive queue. */
  REP_SRQ(CmKind.REP, "srq", 27, 3, 1),
  /** GUID of the sender's adapter. */
  REP_CA_GUID(CmKind.REP, "ca_guid", 28, 0, 64),
  /** Name of the connection at the sender. */
  RTU_LOCAL_COMM_ID(CmKind.RTU, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  RTU_REMOTE_COMM_ID(CmKind.RTU, "remote_comm_id", 4, 0, 32),
  /** Name of the connection at the sender. */
  DREQ_LOCAL_COMM_ID(CmKind.DREQ, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  DREQ_REMOTE_COMM_ID(CmKind.DREQ, "remote_comm_id", 4, 0, 32),
  /** Queue pair of the receiver. */
  DREQ_REMOTE_QPN(CmKind.DREQ, "remote_qpn", 8, 0, 24),
  /** Name of the connection at the sender. */
  DREP_LOCAL_COMM_ID(CmKind.DREP, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  DREP_REMOTE_COMM_ID(CmKind.DREP, "remote_comm_id", 4, 0, 32),
  /** Name of the request at its sender. */
  SIDR_REQ_REQUEST_ID(CmKind.SIDR_REQ, "request_id", 0, 0, 32),
  /** P_Key. */
  SIDR_REQ_PKEY(CmKind.SIDR_REQ, "pkey", 4, 0, 16),
  /** Service ID. */
  SIDR_REQ_SERVICE_ID(CmKind.SIDR_REQ, "service_id", 8, 0, 64),
  /** Name of the request at its sender. */
  SIDR_REP_REQUEST_ID(CmKind.SIDR_REP, "request_id", 0, 0, 32),
  /** Status; 0 is success. */
  SIDR_REP_STATUS(CmKind.SIDR_REP, "status", 4, 0, 8),
  /** Length of the additional information. */
  SIDR_REP_INFO_LEN(CmKind.SIDR_REP, "info_len", 5, 0, 8),
  /** ECE vendor, first two bytes (CM-12). */
  SIDR_REP_VENDOR_H(CmKind.SIDR_REP, "vendor_hm", 6, 0, 16),
  /** Queue pair of the sender. */
  SIDR_REP_QPN(CmKind.SIDR_REP, "qpn", 8, 0, 24),
  /** ECE vendor, third byte. */
  SIDR_REP_VENDOR_L(CmKind.SIDR_REP, "vendor_l", 11, 0, 8),
  /** Service ID. */
  SIDR_REP_SERVICE_ID(CmKind.SIDR_REP, "service_id", 12, 0, 64),
  /** Q_Key. */
  SIDR_REP_QKEY(CmKind.SIDR_REP, "qkey", 20, 0, 32),
  /** Name of the connection at the sender. */
  LAP_LOCAL_COMM_ID(CmKind.LAP, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  LAP_REMOTE_COMM_ID(CmKind.LAP, "remote_comm_id", 4, 0, 32),
  /** Queue pair of the receiver. */
  LAP_REMOTE_QPN(CmKind.LAP, "remote_qpn", 12, 0, 24),
  /** How long the receiver may take, an exponent. */
  LAP_REMOTE_CM_TIMEOUT(CmKind.LAP, "remote_cm_timeout", 15, 0, 5),
  /** LID of the sender on the alternate path; 0 when there is no such path. */
  LAP_ALT_LOCAL_LID(CmKind.LAP, "alt_local_lid", 20, 0, 16),
  /** LID of the receiver on the alternate path. */
  LAP_ALT_REMOTE_LID(CmKind.LAP, "alt_remote_lid", 22, 0, 16),
  /** GID of the sender on the alternate path, first half. */
  LAP_ALT_LOCAL_GID(CmKind.LAP, "alt_local_gid", 24, 0, 64),
  /** GID of the sender on the alternate path, second half. */
  LAP_ALT_LOCAL_GID_LOW(CmKind.LAP, "alt_local_gid_low", 32, 0, 64),
  /** GID of the receiver on the alternate path, first half. */
  LAP_ALT_REMOTE_GID(CmKind.LAP, "alt_remote_gid", 40, 0, 64),
  /** GID of the receiver on the alternate path, second half. */
  LAP_ALT_REMOTE_GID_LOW(CmKind.LAP, "alt_remote_gid_low", 48, 0, 64),
  /** Flow label of the alternate path. */
  LAP_ALT_FLOW_LABEL(CmKind.LAP, "alt_flow_label", 56, 0, 20),
  /** Traffic class of the alternate path. */
  LAP_ALT_TCLASS(CmKind.LAP, "alt_tclass", 59, 0, 8),
  /** Hop limit of the alternate path. */
  LAP_ALT_HOP(CmKind.LAP, "alt_hop", 60, 0, 8),
  /** Packet rate of the alternate path, code of {@code ibv_rate}. */
  LAP_ALT_RATE(CmKind.LAP, "alt_rate", 61, 2, 6),
  /** Service level of the alternate path. */
  LAP_ALT_SL(CmKind.LAP, "alt_sl", 62, 0, 4),
  /** The alternate path stays in the subnet. */
  LAP_ALT_SUBNET_LOCAL(CmKind.LAP, "alt_subnet_local", 62, 4, 1),
  /** ACK timeout of the receiver's queue pair on the alternate path, an exponent. */
  LAP_ALT_ACK_TIMEOUT(CmKind.LAP, "alt_ack_timeout", 63, 0, 5),
  /** Name of the connection at the sender. */
  APR_LOCAL_COMM_ID(CmKind.APR, "local_comm_id", 0, 0, 32),
  /** Name of the connection at the receiver; 0 when the sender has not heard it. */
  APR_REMOTE_COMM_ID(CmKind.APR, "remote_comm_id", 4, 0, 32),
  /** Length of the additional information. */
  APR_INFO_LEN(CmKind.APR, "info_len", 8, 0, 8),
  /** Status; 0 is success. */
  APR_STATUS(CmKind.APR, "status", 9, 0, 8);

  private final CmKind kind;
  private final Row row;

  CmField(CmKind kind, String label, int octet, int bit, int bits) {
    this.kind = kind;
    row = new Row(label, octet * 8 + bit, bits);
  }

  /** {@return the message that has the field} */
  public CmKind kind() {
    return kind;
  }

  @Override
  public Row row() {
    return row;
  }
}
