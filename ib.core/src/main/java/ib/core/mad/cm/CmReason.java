package ib.core.mad.cm;

import org.jspecify.annotations.Nullable;

/**
 * Why a connection is rejected (IBA table 108; 35 is Linux's): what a REJ says, and what its
 * receiver may look at or try.
 */
public enum CmReason {
  /** 1: no queue pair is available. */
  NO_QP(
      1,
      "no queue pair is available",
      "connect again, or close connections that the peer no longer needs"),
  /** 2: no end-to-end context is available. */
  NO_EEC(2, "no end-to-end context is available", ""),
  /** 3: no resources. */
  NO_RESOURCES(
      3, "no resources", "connect again, or close connections that the peer no longer needs"),
  /** 4: the peer has given up waiting. */
  TIMEOUT(4, "the peer has given up waiting", "connect again"),
  /** 5: unsupported request. */
  UNSUPPORTED_REQUEST(5, "unsupported request", ""),
  /** 6: the peer does not know the connection. */
  INVALID_COMM_ID(6, "the peer does not know the connection", "connect again"),
  /** 7: the peer knows the connection with another queue pair. */
  INVALID_COMM_INSTANCE(
      7, "the peer knows the connection with another queue pair", "connect again"),
  /** 8: nothing listens to the port. */
  INVALID_SERVICE_ID(
      8, "nothing listens to the port", "whether the server runs, and at this port and address"),
  /** 9: the wrong type of queue pair. */
  INVALID_TRANSPORT_TYPE(
      9, "the wrong type of queue pair", "the type of queue pair that the server has"),
  /** 10: an earlier connection of the same queue pair was still known. */
  STALE_CONNECTION(
      10, "an earlier connection of the same queue pair was still known", "connect again"),
  /** 11: the reliable datagram channel does not exist. */
  NO_RDC(11, "the reliable datagram channel does not exist", ""),
  /** 12: the GID of the path is not one of the peer's. */
  INVALID_GID(
      12,
      "the GID of the path is not one of the peer's",
      "whether address and path belong to the same host"),
  /** 13: the LID of the path is not one of the peer's. */
  INVALID_LID(
      13,
      "the LID of the path is not one of the peer's",
      "whether address and path belong to the same host"),
  /** 14: the peer does not support the service level. */
  INVALID_SL(
      14, "the peer does not support the service level", "the value that the peer names, or 0"),
  /** 15: the peer does not support the traffic class. */
  INVALID_TRAFFIC_CLASS(
      15, "the peer does not support the traffic class", "the value that the peer names, or 0"),
  /** 16: the peer does not support the hop limit. */
  INVALID_HOP_LIMIT(
      16, "the peer does not support the hop limit", "the value that the peer names, or 0"),
  /** 17: the peer does not support the packet rate. */
  INVALID_PACKET_RATE(
      17, "the peer does not support the packet rate", "the value that the peer names, or 0"),
  /** 18: the GID of the alternate path is not one of the peer's. */
  INVALID_ALTERNATE_GID(
      18,
      "the GID of the alternate path is not one of the peer's",
      "whether address and path belong to the same host"),
  /** 19: the LID of the alternate path is not one of the peer's. */
  INVALID_ALTERNATE_LID(
      19,
      "the LID of the alternate path is not one of the peer's",
      "whether address and path belong to the same host"),
  /** 20: the peer does not support the service level of the alternate path. */
  INVALID_ALTERNATE_SL(
      20,
      "the peer does not support the service level of the alternate path",
      "the value that the peer names, or 0"),
  /** 21: the peer does not support the traffic class of the alternate path. */
  INVALID_ALTERNATE_TRAFFIC_CLASS(
      21,
      "the peer does not support the traffic class of the alternate path",
      "the value that the peer names, or 0"),
  /** 22: the peer does not support the hop limit of the alternate path. */
  INVALID_ALTERNATE_HOP_LIMIT(
      22,
      "the peer does not support the hop limit of the alternate path",
      "the value that the peer names, or 0"),
  /** 23: the peer does not support the packet rate of the alternate path. */
  INVALID_ALTERNATE_PACKET_RATE(
      23,
      "the peer does not support the packet rate of the alternate path",
      "the value that the peer names, or 0"),
  /** 24: the service is at another port of the fabric. */
  PORT_CM_REDIRECT(
      24, "the service is at another port of the fabric", "the address that the peer names"),
  /** 25: the service is at another port of the fabric. */
  PORT_REDIRECT(
      25, "the service is at another port of the fabric", "the address that the peer names"),
  /** 26: the path MTU is too large. */
  INVALID_MTU(26, "the path MTU is too large", "a smaller MTU of this port"),
  /** 27: too many reads at once. */
  INSUFFICIENT_RESPONDER_RESOURCES(27, "too many reads at once", "fewer reads at once"),
  /** 28: the program at the other end does not want it. */
  CONSUMER_REJECT(
      28,
      "the program at the other end does not want it",
      "what the server wants: its private data and limits, and the address where it listens"),
  /** 29: the number of RNR retries is not supported. */
  INVALID_RNR_RETRY(29, "the number of RNR retries is not supported", "at most 7 RNR retries"),
  /** 30: the same communication ID with other contents. */
  DUPLICATE_LOCAL_COMM_ID(30, "the same communication ID with other contents", "connect again"),
  /** 31: the peer does not speak the version of the message. */
  INVALID_CLASS_VERSION(31, "the peer does not speak the version of the message", ""),
  /** 32: the peer does not support the flow label. */
  INVALID_FLOW_LABEL(
      32, "the peer does not support the flow label", "the value that the peer names, or 0"),
  /** 33: the peer does not support the flow label of the alternate path. */
  INVALID_ALTERNATE_FLOW_LABEL(
      33,
      "the peer does not support the flow label of the alternate path",
      "the value that the peer names, or 0"),
  /** 35: the vendor's options are not supported. */
  VENDOR_OPTION_NOT_SUPPORTED(35, "the vendor's options are not supported", "");

  private final int code;
  private final String text;
  private final String hint;

  CmReason(int code, String text, String hint) {
    this.code = code;
    this.text = text;
    this.hint = hint;
  }

  /** {@return the reason with that code, or null if the table has none} */
  public static @Nullable CmReason of(int code) {
    for (CmReason each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    return null;
  }

  /** {@return the code on the wire} */
  public int code() {
    return code;
  }

  /** {@return the reason in words, as the receiver of the REJ would put it} */
  public String text() {
    return text;
  }

  /** {@return what to look at or to try; may be empty} */
  public String hint() {
    return hint;
  }

  /** {@return a code in words, also one that the table does not have} */
  public static String text(int code) {
    CmReason reason = of(code);
    return reason == null ? "see IBA table 108" : reason.text;
  }
}
