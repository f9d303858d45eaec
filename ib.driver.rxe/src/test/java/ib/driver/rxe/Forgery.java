package ib.driver.rxe;

import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;
import jdk.net.ExtendedSocketOptions;

/**
 * Somebody who writes packets by hand: each is right in every respect of its bytes, with an address
 * of this host as source, which may be that of another.
 */
final class Forgery implements AutoCloseable {
  static final int PORT = 4791;
  private static final int MAX_BYTES = 1200;

  final byte[] bytes = new byte[MAX_BYTES];
  private final DatagramChannel channel;
  private final InetSocketAddress to;
  private final int source;
  private final int dest;
  private final int port;
  private int identification;

  /** Sends from one IPv4 address to another. */
  Forgery(String from, String to) throws IOException {
    InetAddress here = InetAddress.ofLiteral(from);
    InetAddress there = InetAddress.ofLiteral(to);
    this.to = new InetSocketAddress(there, PORT);
    this.source = ByteBuffer.wrap(here.getAddress()).getInt();
    this.dest = ByteBuffer.wrap(there.getAddress()).getInt();
    channel = DatagramChannel.open(StandardProtocolFamily.INET);
    channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
    channel.bind(new InetSocketAddress(here, 0));
    port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
  }

  /** A payload that fits the opcode. */
  static int payload(BthOpcode opcode) {
    return switch (opcode.payload()) {
      case NONE -> 0;
      case EIGHT -> 8;
      case SIXTEEN -> 16;
      default -> 1024;
    };
  }

  /** Type of service and congestion marks of what is sent from now on. */
  void trafficClass(int value) throws IOException {
    channel.setOption(StandardSocketOptions.IP_TOS, value);
  }

  /**
   * The IPv4 identification that the packets written from now on are made for. A receiver with a
   * socket sees no other one than that of the ICRC.
   */
  void identification(int id) {
    identification = id & 0xffff;
  }

  /** Writes a packet whose other headers and payload are noise; returns its length. */
  int noise(BthOpcode opcode, int qpn, int psn, SplittableRandom random) {
    random.nextBytes(bytes);
    return packet(opcode, qpn, psn);
  }

  /** Writes a packet around the headers and the payload that lie there; returns its length. */
  int packet(BthOpcode opcode, int qpn, int psn) {
    MemorySegment packet = MemorySegment.ofArray(bytes);
    Bth bth = new Bth();
    bth.wrap(packet, 0);
    bth.clear();
    bth.opcode(opcode.value());
    bth.pkey(0xffff);
    bth.destQp(qpn);
    bth.psn(psn);
    int covered = opcode.headerBytes() + payload(opcode);
    int length = covered + Icrc.BYTES;
    MemorySegment headers = MemorySegment.ofArray(new byte[Icrc.Network.IPV4.bytes()]);
    Ipv4Header ip = new Ipv4Header();
    ip.wrap(headers, 0);
    ip.versionAndLength(Ipv4Header.PLAIN);
    ip.totalLength(Icrc.Network.IPV4.bytes() + length);
    ip.identification(identification);
    ip.fragment(Ipv4Header.DONT_FRAGMENT);
    ip.protocol(UdpHeader.PROTOCOL);
    ip.source(source);
    ip.destination(dest);
    UdpHeader udp = new UdpHeader();
    udp.wrap(headers, Ipv4Header.BYTES);
    udp.sourcePort(port);
    udp.destinationPort(PORT);
    udp.length(UdpHeader.BYTES + length);
    Icrc.store(packet, covered, new Icrc().of(Icrc.Network.IPV4, headers, 0, packet, 0, covered));
    return length;
  }

  void send(int length) throws IOException {
    channel.send(ByteBuffer.wrap(bytes, 0, length), to);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
