package ib.ulp.ipoib.link;

import java.util.Locale;

/** Why a packet was dropped. */
public enum Drop {
  /** To be sent, of a type that the link does not carry. */
  TX_TYPE,
  /** To be sent, longer than the MTU. */
  TX_TOO_LONG,
  /** To be sent while there is no carrier. */
  TX_NO_CARRIER,
  /** To be sent while all buffers are in use. */
  TX_RING_FULL,
  /** To be sent while enough packets wait for the same path. */
  TX_PATH_QUEUE,
  /** To be sent where the subnet knows no path to. */
  TX_NO_PATH,
  /** To be sent while enough packets wait for the same group. */
  TX_GROUP_QUEUE,
  /** To be sent to a group that cannot be joined, or is none of this link. */
  TX_NO_GROUP,
  /** To be sent while enough packets wait for the same neighbour. */
  TX_NEIGHBOUR_QUEUE,
  /** To be sent to a neighbour that does not answer. */
  TX_UNREACHABLE,
  /** To be sent, malformed. */
  TX_MALFORMED,
  /** Refused by the queue pair, or failed in it. */
  TX_ERROR,
  /** Received, shorter than its headers. */
  RX_SHORT,
  /** Received, of a type that the link does not carry. */
  RX_TYPE,
  /** Received, sent by this very interface to a group. */
  RX_OWN,
  /** Received, for somebody else. */
  RX_NOT_MINE,
  /** Received, with a wrong checksum. */
  RX_CHECKSUM,
  /** Received, malformed. */
  RX_MALFORMED,
  /** Received, while the other side could not take it. */
  RX_FULL,
  /** Received, failed in the queue pair. */
  RX_ERROR;

  /** {@return whether it was to be sent} */
  public boolean sending() {
    return name().startsWith("TX");
  }

  /** {@return the name for users} */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
