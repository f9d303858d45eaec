package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.core.verbs.MemoryRegion;
import ib.core.wire.Bth;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.Reth;
import ib.core.wire.UdpHeader;
import ib.driver.rxe.udp.Addresses;
import ib.engine.wire.HiddenId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import jdk.net.ExtendedSocketOptions;

/** A peer that is only a socket: it sees each datagram as it was on the wire, and may answer. */
final class WirePeer implements AutoCloseable {
  private static final ValueLayout.OfInt NET_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  final Gid gid;
  private final InetAddress address;
  private final DatagramChannel channel;
  private final Icrc icrc = new Icrc();
  private final MemorySegment headers = MemorySegment.ofArray(new byte[48]);
  // the datagram received last
  final MemorySegment bytes = MemorySegment.ofArray(new byte[8192]);
  int length;
  int opcode;
  int psn;
  boolean migReq;
  boolean ackRequest;

  WirePeer(String literal) throws IOException {
    address = InetAddress.ofLiteral(literal);
    gid = Addresses.gid(address);
    channel = DatagramChannel.open(StandardProtocolFamily.INET);
    channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
    channel.bind(new InetSocketAddress(address, 4791));
  }

  /** Waits for a datagram; returns the IPv4 identification that its ICRC was made for. */
  int next() throws IOException {
    ByteBuffer into = bytes.asByteBuffer();
    InetSocketAddress from = (InetSocketAddress) channel.receive(into);
    length = into.position();
    Bth bth = new Bth();
    bth.wrap(bytes, 0);
    opcode = bth.opcode();
    psn = bth.psn();
    migReq = bth.migReq();
    ackRequest = bth.ackReq();
    int covered = length - Icrc.BYTES;
    int difference = calculated(from, covered) ^ Icrc.load(bytes, covered);
    return difference == 0 ? 0 : HiddenId.solve(difference, length);
  }

  /** The ICRC as it is, exclusive or the one that the specification asks for, with id 0. */
  private int calculated(InetSocketAddress from, int covered) {
    headers(Addresses.gid(from.getAddress()), from.getPort(), gid, covered + Icrc.BYTES);
    return icrc.of(Icrc.Network.IPV4, headers, 0, bytes, 0, covered);
  }

  private void headers(Gid source, int sourcePort, Gid dest, int datagram) {
    Ipv4Header ip = new Ipv4Header();
    ip.wrap(headers, 0);
    ip.clear();
    ip.versionAndLength(Ipv4Header.PLAIN);
    ip.fragment(Ipv4Header.DONT_FRAGMENT);
    ip.protocol(UdpHeader.PROTOCOL);
    ip.source((int) source.low());
    ip.destination((int) dest.low());
    ip.totalLength(28 + datagram);
    UdpHeader udp = new UdpHeader();
    udp.wrap(headers, 20);
    udp.clear();
    udp.sourcePort(sourcePort);
    udp.destinationPort(4791);
    udp.length(8 + datagram);
  }

  /** Sends an acknowledgement, or another answer with an AETH alone. */
  void acknowledge(Gid to, int qpn, int upTo, int syndrome) throws IOException {
    MemorySegment packet = packet(0x11, qpn, upTo, 4);
    packet.set(NET_INT, Bth.BYTES, syndrome << 24);
    send(to, packet);
  }

  /** Asks for so many bytes of a region. */
  void read(Gid to, int qpn, int psn, MemoryRegion from, int bytes) throws IOException {
    MemorySegment packet = packet(0x0c, qpn, psn, Reth.BYTES);
    Reth reth = new Reth();
    reth.wrap(packet, Bth.BYTES);
    reth.va(from.iova());
    reth.rkey(from.rkey());
    reth.dmaLen(bytes);
    send(to, packet);
  }

  private static MemorySegment packet(int opcode, int qpn, int psn, int header) {
    MemorySegment packet = MemorySegment.ofArray(new byte[Bth.BYTES + header + Icrc.BYTES]);
    Bth bth = new Bth();
    bth.wrap(packet, 0);
    bth.clear();
    bth.opcode(opcode);
    bth.pkey(0xffff);
    bth.destQp(qpn);
    bth.psn(psn & 0xffffff);
    return packet;
  }

  private void send(Gid to, MemorySegment packet) throws IOException {
    headers(gid, 4791, to, (int) packet.byteSize());
    int covered = (int) packet.byteSize() - Icrc.BYTES;
    Icrc.store(packet, covered, icrc.of(Icrc.Network.IPV4, headers, 0, packet, 0, covered));
    int sent =
        channel.send(
            packet.asByteBuffer(),
            new InetSocketAddress(Addresses.address(to.high(), to.low(), 0), 4791));
    assertTrue(sent > 0);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
