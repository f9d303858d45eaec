package ib.ulp.ipoib.net;

import ib.core.verbs.IbTimedOutException;
import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * ICMP of a stack: sends echo requests, matches their replies, and answers the requests of others.
 * Used on the loop's thread only.
 */
final class Icmp {
  private static final int ECHO_V4 = 8;
  private static final int ECHO_V6 = 128;
  private static final int ECHO_V6_REPLY = 129;
  private static final int HEADER = 8;

  private final NetIf stack;
  private final Link link;
  private final Addresses addresses;
  private final MemorySegment buffer;
  private final Outgoing packet = new Outgoing();
  private final Map<Integer, Echo> echoes = new HashMap<>();
  private int sequence;

  private record Echo(CompletableFuture<Long> reply, long sentNs, int bytes) {}

  /** Sends from the buffer of the stack, which is free between two packets. */
  Icmp(NetIf stack, Link link, Addresses addresses, MemorySegment buffer) {
    this.stack = stack;
    this.link = link;
    this.addresses = addresses;
    this.buffer = buffer;
  }

  /** Sends an echo request; {@code reply} completes with the time in nanoseconds. */
  void ping(Ip to, int bytes, long timeoutNs, CompletableFuture<Long> reply) {
    int header = to.isV4() ? IpPacket.V4_HEADER : IpPacket.V6_HEADER;
    if (stack.tooLong(to, header + HEADER + bytes, reply)) {
      return;
    }
    int number = ++sequence & 0xffff;
    echoes.put(number, new Echo(reply, link.loop().now(), bytes));
    link.loop()
        .after(
            timeoutNs,
            () -> {
              echoes.remove(number);
              reply.completeExceptionally(
                  new IbTimedOutException(
                      "ping " + to, "no reply", "check the path with ib:netif paths NAME"));
            });
    Ip from = addresses.source(to);
    int length = HEADER + bytes;
    int protocol = to.isV4() ? IpPacket.ICMP : IpPacket.ICMPV6;
    int at = IpPacket.write(buffer, 0, from, to, protocol, length, NetIf.HOP_LIMIT);
    Octets.u32(buffer, at, (to.isV4() ? ECHO_V4 : ECHO_V6) << 24);
    Octets.u32(buffer, at + 4, number);
    for (int i = 0; i < bytes; i++) {
      Octets.u8(buffer, at + HEADER + i, i);
    }
    finish(from, to, at, length);
    stack.route(to, null, packet.set(IpPacket.type(to), buffer, 0, at + length));
  }

  private void finish(Ip from, Ip to, int at, int length) {
    long sum = to.isV4() ? 0 : Checksum.pseudo(from, to, IpPacket.ICMPV6, length);
    Octets.u16(buffer, at + 2, 0);
    Octets.u16(buffer, at + 2, Checksum.fold(Checksum.sum(buffer, at, length, sum)));
  }

  /** Handles a received message, which is the payload of {@code ip} in {@code s}. */
  void received(MemorySegment s, IpPacket ip) {
    long at = ip.payloadAt();
    int length = ip.payloadLength();
    boolean four = ip.to().isV4();
    if (length < HEADER) {
      link.drop(Drop.RX_SHORT);
      return;
    }
    boolean holds = four ? Checksum.fold(Checksum.sum(s, at, length, 0)) == 0 : ip.checksumHolds(s);
    if (!holds) {
      link.drop(Drop.RX_CHECKSUM);
      return;
    }
    int type = Octets.u8(s, at);
    if (type == (four ? ECHO_V4 : ECHO_V6)) {
      answer(s, ip);
    } else if (type == (four ? 0 : ECHO_V6_REPLY)) {
      Echo echo = echoes.remove(Octets.u32(s, at + 4));
      if (echo != null && echo.bytes == length - HEADER) {
        echo.reply.complete(link.loop().now() - echo.sentNs);
      }
    }
  }

  private void answer(MemorySegment s, IpPacket ip) {
    int length = ip.payloadLength();
    Ip to = ip.from();
    Ip from = addresses.own().contains(ip.to()) ? ip.to() : addresses.source(to);
    int protocol = to.isV4() ? IpPacket.ICMP : IpPacket.ICMPV6;
    if (IpPacket.V6_HEADER + length > buffer.byteSize()) {
      link.drop(Drop.TX_TOO_LONG);
      return;
    }
    int at = IpPacket.write(buffer, 0, from, to, protocol, length, NetIf.HOP_LIMIT);
    MemorySegment.copy(s, ip.payloadAt(), buffer, at, length);
    Octets.u8(buffer, at, to.isV4() ? 0 : ECHO_V6_REPLY);
    finish(from, to, at, length);
    stack.route(to, null, packet.set(IpPacket.type(to), buffer, 0, at + length));
  }

  /** Fails the echo request that the link has dropped as too long. */
  void tooLong(PathMtus.Dropped dropped, int bytes) {
    Echo echo = echoes.remove(dropped.echo());
    if (echo != null) {
      stack.tooLong(dropped.to(), bytes, echo.reply);
    }
  }

  /** Fails all echo requests without a reply. */
  void close() {
    echoes
        .values()
        .forEach(
            echo ->
                echo.reply.completeExceptionally(
                    new IbTimedOutException(
                        "ping", "the interface is removed", "ping from another interface")));
    echoes.clear();
  }
}
