package ib.engine.wire;

import ib.core.wire.UdpHeader;

/**
 * The fields of a RoCEv2 Ethernet frame that a {@link Packet} does not have. The frame's addresses,
 * type of service, time to live and flow label are in the packet: GIDs, traffic class, hop limit
 * and flow label.
 */
public final class RoceFrame {
  /** Destination Ethernet address, 48 bits. */
  public long destinationMac;

  /** Source Ethernet address, 48 bits. */
  public long sourceMac;

  /** IPv4 identification, 16 bits. Covered by the ICRC. */
  public int identification;

  /** Whether IPv4 forbids fragmentation. Covered by the ICRC. */
  public boolean dontFragment = true;

  /** UDP source port, 16 bits. */
  public int sourcePort = UdpHeader.ROCE;

  /** UDP checksum, 16 bits, 0 for none. Written as it is, and not checked: the ICRC is stronger. */
  public int udpChecksum;

  /** Makes a frame without addresses. */
  public RoceFrame() {}
}
