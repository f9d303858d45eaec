package ib.ulp.ipoib.net;

import ib.core.verbs.IbInvalidException;
import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.InterfaceId;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An IP stack in this JVM: ARP, neighbour discovery, echo and UDP. Methods of {@link Host}, {@link
 * #route} and {@link #known} are for the loop's thread; any thread may call the others, which do
 * not wait.
 */
public final class NetIf implements Host {
  /** Receives UDP datagrams, on the loop's thread; the handler may keep the bytes. */
  @FunctionalInterface
  public interface UdpHandler {
    void received(Ip from, int fromPort, Ip to, byte[] data);
  }

  static final int HOP_LIMIT = 64;

  private static final int HEADER = 8; // of UDP
  private static final int LONGEST = 65_600;

  private final Link link;
  private final @Nullable Consumer<Frame> other;
  private final Neighbours neighbours;
  private final Addresses addresses = new Addresses();
  private final Claims claims;
  private final Memberships memberships;
  private final Map<Integer, UdpHandler> udp = new HashMap<>();
  private final PathMtus pathMtus = new PathMtus();
  private final MemorySegment buffer = Arena.ofAuto().allocate(LONGEST);
  private final Outgoing packet = new Outgoing();
  private final IpPacket ip = new IpPacket();
  private final Icmp icmp;
  private @Nullable LinkState last;

  /** Creates a stack on a link that is not started yet, with so many probes of IPv6 addresses. */
  public NetIf(Link link, int probes) {
    this(link, probes, null);
  }

  /** Creates a stack that hands packets it need not answer to {@code other}, if not null. */
  public NetIf(Link link, int probes, @Nullable Consumer<Frame> other) {
    this.link = link;
    this.other = other;
    memberships = new Memberships(link);
    neighbours = new Neighbours(link, addresses::own, addresses::source);
    icmp = new Icmp(this, link, addresses, buffer);
    claims = new Claims(link, neighbours, addresses, probes);
    neighbours.claimant(claims::taken);
  }

  /** {@return the addresses in use} */
  public List<Ip> addresses() {
    return addresses.own();
  }

  /** {@return all addresses, those not in use with the reason; completed on the loop} */
  public CompletableFuture<List<String>> addressStates() {
    return CompletableFuture.supplyAsync(claims::list, link.loop());
  }

  /** Adds an address to the interface; it is announced when there is carrier. */
  public void address(Ip address, int prefix) {
    link.loop()
        .execute(
            () -> {
              if (!address.isV4()) {
                memberships.join(address.solicitedNode()); // RFC 4862 section 5.4.2: first
              }
              if (!claims.add(address, prefix) && !address.isV4()) {
                memberships.leave(address.solicitedNode());
              }
            });
  }

  /** Sets the default gateway of its IP version. */
  public void gateway(Ip router) {
    link.loop().execute(() -> addresses.gateway(router));
  }

  /** Joins an IP group. */
  public void join(Ip group) {
    link.loop().execute(() -> memberships.join(group));
  }

  /** Undoes one {@link #join}. */
  public void leave(Ip group) {
    link.loop().execute(() -> memberships.leave(group));
  }

  /**
   * Sends an echo request.
   *
   * @param to destination
   * @param bytes payload bytes; with headers at most the MTU
   * @param timeoutNs how long to wait for the reply
   * @return completes with the time in nanoseconds; exceptionally without a reply
   */
  public CompletableFuture<Long> ping(Ip to, int bytes, long timeoutNs) {
    CompletableFuture<Long> reply = new CompletableFuture<>();
    link.loop().execute(() -> icmp.ping(to, bytes, timeoutNs, reply));
    return reply;
  }

  /** Fails a result if a packet of so many bytes is longer than the MTU. {@return whether it is} */
  boolean tooLong(Ip to, int bytes, CompletableFuture<?> result) {
    int mtu = Math.min(link.state().mtu(), pathMtus.of(to));
    if (bytes <= mtu) {
      return false;
    }
    link.drop(Drop.TX_TOO_LONG); // I10: the caller's future fails
    result.completeExceptionally(
        new IbInvalidException(
            "send of " + bytes + " bytes", "longer than the MTU", "at most " + mtu));
    return true;
  }

  /** Sets the handler of a UDP port; null removes it. */
  public void bind(int port, @Nullable UdpHandler handler) {
    link.loop()
        .execute(
            () -> {
              if (handler == null) {
                udp.remove(port);
              } else {
                udp.put(port, handler);
              }
            });
  }

  /**
   * Sends a datagram.
   *
   * @param fromPort port to send from
   * @param to a host, a group or the broadcast address of a net
   * @param toPort destination port
   * @param data payload, with headers at most the MTU
   * @return completes when the link has the datagram; exceptionally when it is too long
   */
  public CompletableFuture<Void> send(int fromPort, Ip to, int toPort, byte[] data) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    link.loop().execute(() -> sendNow(fromPort, to, toPort, data, done));
    return done;
  }

  private void sendNow(int fromPort, Ip to, int toPort, byte[] data, CompletableFuture<Void> done) {
    int length = HEADER + data.length;
    int header = to.isV4() ? IpPacket.V4_HEADER : IpPacket.V6_HEADER;
    if (tooLong(to, header + length, done)) {
      return;
    }
    Ip from = addresses.source(to);
    int at = IpPacket.write(buffer, 0, from, to, IpPacket.UDP, length, HOP_LIMIT);
    Octets.u16(buffer, at, fromPort);
    Octets.u16(buffer, at + 2, toPort);
    Octets.u16(buffer, at + 4, length);
    Octets.u16(buffer, at + 6, 0);
    MemorySegment.copy(MemorySegment.ofArray(data), 0, buffer, at + HEADER, data.length);
    long pseudo = Checksum.pseudo(from, to, IpPacket.UDP, length);
    int sum = Checksum.fold(Checksum.sum(buffer, at, length, pseudo));
    Octets.u16(buffer, at + 6, sum == 0 ? 0xffff : sum);
    route(to, null, packet.set(IpPacket.type(to), buffer, 0, at + length));
    done.complete(null);
  }

  /** Sends an IP packet to its destination; a {@code router} that is null is looked up. */
  public void route(Ip to, @Nullable Ip router, Outgoing out) {
    if (to.isMulticast()) {
      link.multicast(Groups.of(to, link.state().broadcast()), out);
    } else if (addresses.isBroadcast(to)) {
      link.broadcast(out);
    } else {
      Ip next = router == null ? addresses.next(to) : router;
      if (next == null) {
        link.drop(Drop.TX_UNREACHABLE);
      } else {
        neighbours.send(next, out);
      }
    }
  }

  /** {@return the link address of the next hop; null if it must be resolved first} */
  public @Nullable LinkAddress known(Ip to, @Nullable Ip router) {
    Ip next = router == null ? addresses.next(to) : router;
    return next == null ? null : neighbours.known(next);
  }

  // ---- from the link ----

  @Override
  public void received(Frame frame) {
    if (frame.type() == Encapsulation.ARP) {
      neighbours.arp(frame);
      return;
    }
    if (frame.type() == Encapsulation.IPV6 && neighbours.discovery(frame)) {
      return;
    }
    if (other != null) {
      other.accept(frame);
      return;
    }
    MemorySegment s = frame.segment();
    if (!ip.read(s, frame.at(), frame.length()) || ip.from().isMulticast()) { // RFC 1122 3.2.1.3
      link.drop(Drop.RX_MALFORMED);
    } else if (!forMe(ip.to())) {
      link.drop(Drop.RX_NOT_MINE);
    } else {
      switch (ip.protocol()) {
        case IpPacket.ICMP, IpPacket.ICMPV6 -> icmp.received(s, ip);
        case IpPacket.UDP -> datagram(s);
        default -> link.drop(Drop.RX_NOT_MINE);
      }
    }
  }

  private boolean forMe(Ip to) {
    return addresses.own().contains(to)
        || memberships.contains(to)
        || to.equals(Ip.ALL_NODES)
        || addresses.isBroadcast(to);
  }

  private void datagram(MemorySegment s) {
    long at = ip.payloadAt();
    int length = ip.payloadLength();
    if (length < HEADER || Octets.u16(s, at + 4) != length) {
      link.drop(Drop.RX_SHORT);
    } else if (Octets.u16(s, at + 6) != 0 && !ip.checksumHolds(s)) {
      link.drop(Drop.RX_CHECKSUM);
    } else {
      UdpHandler handler = udp.get(Octets.u16(s, at + 2));
      if (handler == null) {
        link.drop(Drop.RX_NOT_MINE);
      } else {
        byte[] data = new byte[length - HEADER];
        MemorySegment.copy(s, at + HEADER, MemorySegment.ofArray(data), 0, data.length);
        handler.received(ip.from(), Octets.u16(s, at), ip.to(), data);
      }
    }
  }

  @Override
  public void tooLong(Outgoing out, int mtu) {
    icmp.tooLong(pathMtus.learn(out, mtu), out.length());
  }

  @Override
  public void receivedAll() {
    // received() has handled every packet
  }

  @Override
  public void writable() {
    // no packet waits here: without a free buffer it is dropped
  }

  @Override
  public void linkChanged(LinkState state) {
    LinkState before = last;
    last = state;
    pathMtus.clear();
    if (!state.carrier()) {
      neighbours.flush();
      claims.pause();
      return;
    }
    if (!memberships.relink(state.broadcast())) {
      if (state.mtu() >= IpPacket.MIN_V6_MTU) { // RFC 8200 section 5
        address(Ip.linkLocal(InterfaceId.ofGuid(state.address().gid().low())), 64);
      }
    }
    if (before == null || !before.carrier() || !before.address().equals(state.address())) {
      claims.again(); // 1.5: a new link address is announced
    }
  }

  @Override
  public void close() {
    icmp.close();
  }

  @Override
  public Map<String, String> neighbours() {
    return neighbours.list();
  }
}
