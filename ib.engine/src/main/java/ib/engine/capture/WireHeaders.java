package ib.engine.capture;

import ib.core.wire.EthernetHeader;
import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Completes the copy of a RoCE frame with fields that were set after the copy: source port,
 * identification, hop limit, and with them the ICRC. The UDP checksum is computed: a socket does
 * not show a received one, so the copy has the one that a sender with a socket sets; Linux rdma_rxe
 * and some cards send none. Ethernet addresses stay 0. For the writer thread only.
 */
final class WireHeaders {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final EthernetHeader ethernet = new EthernetHeader();
  private final Ipv4Header ipv4 = new Ipv4Header();
  private final Grh ipv6 = new Grh(); // the same layout
  private final UdpHeader udp = new UdpHeader();

  void complete(CapturedPacket s) {
    ethernet.wrap(s.bytes, 0);
    boolean four = ethernet.etherType() == EthernetHeader.IPV4;
    int ip = EthernetHeader.BYTES;
    int at = ip + (four ? Ipv4Header.BYTES : Grh.BYTES);
    udp.wrap(s.bytes, at);
    if (s.carried) {
      if (four) {
        carried4(s, ip);
      } else {
        carried6(s, ip);
      }
      udp.sourcePort(s.sourcePort);
      Icrc.store(s.bytes, s.length - Icrc.BYTES, s.icrc);
    }
    udp.checksum(0);
    int addresses = four ? 8 : 32; // bytes of the addresses before the UDP header
    int sum = UdpHeader.PROTOCOL + udp.length() + sum(s.bytes, at - addresses, s.length);
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = ~(sum + (sum >>> 16)) & 0xffff;
    udp.checksum(sum == 0 ? 0xffff : sum); // RFC 768: 0 stands for no checksum
  }

  private void carried4(CapturedPacket s, int at) {
    ipv4.wrap(s.bytes, at);
    ipv4.identification(s.identification);
    ipv4.typeOfService(s.trafficClass);
    ipv4.timeToLive(s.hopLimit);
    ipv4.checksum(ipv4.expectedChecksum());
  }

  private void carried6(CapturedPacket s, int at) {
    ipv6.wrap(s.bytes, at);
    ipv6.trafficClass(s.trafficClass);
    ipv6.flowLabel(s.flowLabel);
    ipv6.hopLmt(s.hopLimit);
  }

  /**
   * {@return the sum of the 16-bit words of a range} Its length is even, as that of every RoCE
   * packet.
   */
  private static int sum(MemorySegment bytes, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i += Short.BYTES) {
      sum += bytes.get(SHORT, i) & 0xffff;
    }
    return sum;
  }
}
