package ib.ulp.ipoib.link;

import java.util.Locale;

/** The reasons why an interface drops a packet. */
public enum Drop {
  /** Outbound: the link does not carry packets of this EtherType. */
  TX_TYPE,
  /** Outbound: the packet is longer than the MTU. */
  TX_TOO_LONG,
  /** Outbound: the link has no carrier. */
  TX_NO_CARRIER,
  /** Outbound: all send buffers are in use. */
  TX_RING_FULL,
  /** Outbound: too many packets wait for the same path. */
  TX_PATH_QUEUE,
  /** Outbound: the subnet knows no path to the neighbour. */
  TX_NO_PATH,
  /** Outbound: too many packets wait for the same group. */
  TX_GROUP_QUEUE,
  /** Outbound: the group cannot be joined, or is not a group of this link. */
  TX_NO_GROUP,
  /** Outbound: too many packets wait for the same neighbour. */
  TX_NEIGHBOUR_QUEUE,
  /** Outbound: the neighbour does not answer. */
  TX_UNREACHABLE,
  /** Outbound: the packet is malformed. */
  TX_MALFORMED,
  /** Outbound: the queue pair refused the send, or the send failed. */
  TX_ERROR,
  /** Inbound: the packet is shorter than its headers. */
  RX_SHORT,
  /** Inbound: the link does not carry packets of this EtherType. */
  RX_TYPE,
  /** Inbound: this interface itself sent the packet to a group. */
  RX_OWN,
  /** Inbound: the packet's destination is another node. */
  RX_NOT_MINE,
  /** Inbound: the checksum is wrong. */
  RX_CHECKSUM,
  /** Inbound: the packet is malformed. */
  RX_MALFORMED,
  /** Inbound: the receiving end of the host has no free space. */
  RX_FULL,
  /** Inbound: the receive failed in the queue pair. */
  RX_ERROR;

  /** {@return whether the dropped packet was outbound} */
  public boolean sending() {
    return name().startsWith("TX");
  }

  /** {@return the name of the counter} */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
