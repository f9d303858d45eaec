package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects a link to the kernel's IP stack behind a TUN device, which carries IP packets without
 * link addresses. The kernel's routing table supplies the next hop (P3). A stack in this JVM
 * answers ARP and neighbour discovery for the configured addresses (P4). Used on the loop's thread
 * only.
 */
public final class TunHost implements Host, Loop.Work {
  private final TapDevice device;
  private final Link link;
  private final NetIf below;
  private final Presence presence;
  private final Segmenter segmenter;
  private final Coalescer coalescer;
  private final MemorySegment own; // used while the link has no free long buffer
  private MemorySegment in;
  private final MemorySegment scratch;
  private final Pieces pieces;
  private final Routes routes;
  private final IpPacket ip = new IpPacket();
  private final Outgoing packet = new Outgoing();
  private final Set<Ip> wanted = new HashSet<>();
  private final LongFrame longFrame;
  private final IntConsumer taker = this::frame;
  private final Supplier<MemorySegment> places = this::space;

  TunHost(TapDevice device, Link link, int probes, Arena arena) {
    this.device = device;
    this.link = link;
    own = arena.allocate(Ethernet.LONGEST + 64L, 8);
    in = own;
    scratch = arena.allocate(Ethernet.LONGEST, 8);
    pieces = new Pieces(arena, 2);
    routes = new Routes(device, link.loop(), arena);
    below = new NetIf(link, probes, this::up);
    presence = new Presence(device, link, () -> {});
    segmenter = new Segmenter(link, scratch);
    coalescer = new Coalescer(device, link, arena);
    longFrame = new LongFrame(device, link::drop, arena);
  }

  /** {@return the stack in this JVM that has the addresses, the gateway and the neighbours} */
  public NetIf below() {
    return below;
  }

  @Override
  public void linkChanged(LinkState state) {
    presence.show(state, 0);
    below.linkChanged(state);
  }

  // ---- out ----

  @Override
  public boolean step() {
    routes.look();
    return presence.read(places, taker);
  }

  /** {@return the memory for the next packet, a long buffer if one is free} */
  private MemorySegment space() {
    MemorySegment place = link.longs().space();
    in = place == null ? own : place;
    return in.asSlice(Ethernet.HEADER);
  }

  private void frame(int length) {
    Ethernet.frame(in);
    out(length - Ethernet.VNET);
  }

  private void out(int bytes) {
    if (!ip.read(in, Ethernet.PACKET, bytes)) {
      fragment(bytes);
      return;
    }
    Ip to = ip.to();
    int type = IpPacket.type(to);
    Ip router = router(to);
    if (segmenter.isOpen(in, ip)) {
      LinkAddress end = below.known(to, router);
      if (end != null && segmenter.offload(in, ip, type, end)) {
        return;
      }
    }
    segmenter.complete(in, ip);
    if (to.isMulticast()) {
      Reports.read(in, ip, this::reported); // P4
    }
    if (in.get(ValueLayout.JAVA_BYTE, 1) != Segmenter.GSO_NONE) {
      LinkAddress end = below.known(to, router);
      if ((end == null || !segmenter.offload(in, ip, type, end))
          && !segmenter.cut(in, ip, type, piece -> below.route(to, router, piece))) {
        link.drop(Drop.TX_MALFORMED);
      }
    } else if (bytes > link.state().mtu()) {
      link.drop(Drop.TX_TOO_LONG);
      int answer =
          TooBig.write(in, ip, Ethernet.PACKET, scratch, Ethernet.VNET, link.state().mtu());
      give(answer);
    } else {
      below.route(to, router, packet.set(type, in, Ethernet.PACKET, bytes));
    }
  }

  /** Sends an IPv4 fragment, each of which has the destination. */
  private void fragment(int bytes) {
    Ip to = IpPacket.destination(in, Ethernet.PACKET, bytes);
    if (to == null) {
      link.drop(Drop.TX_MALFORMED);
    } else {
      below.route(to, router(to), packet.set(IpPacket.type(to), in, Ethernet.PACKET, bytes));
    }
  }

  /**
   * {@return the kernel's gateway for a destination; null when the configured gateway applies (P3)}
   */
  private @Nullable Ip router(Ip to) {
    return to.isMulticast() ? null : routes.gateway(to);
  }

  private void reported(Ip group, boolean listens) {
    if (group.isMulticast() && (listens ? wanted.add(group) : wanted.remove(group))) {
      if (listens) {
        below.join(group);
      } else {
        below.leave(group);
      }
    }
  }

  @Override
  public boolean arm() {
    return false; // sleep() polls the device, so nothing needs arming
  }

  @Override
  public void writable() {
    device.reading(!presence.lost());
  }

  @Override
  public void tooLong(Outgoing out, int mtu) {
    out.copyPacket(scratch, Ethernet.PACKET);
    IpPacket refused = new IpPacket();
    if (refused.read(scratch, Ethernet.PACKET, out.length())) {
      give(TooBig.write(scratch, refused, Ethernet.PACKET, own, Ethernet.VNET, mtu), own);
    }
  }

  // ---- in ----

  @Override
  public void received(Frame frame) {
    if (presence.lost()) {
      return;
    }
    if (frame.mss() > 0) { // the stack in this JVM has no TCP
      coalescer.flush();
      longFrame.give(frame, 0, 0);
    } else {
      below.received(frame);
    }
  }

  @Override
  public boolean takesLong() {
    return true;
  }

  /** Writes a packet to the kernel that the stack in this JVM does not handle. */
  private void up(Frame frame) {
    MemorySegment s = frame.segment();
    boolean whole = ip.read(s, frame.at(), frame.length());
    boolean stream = frame.cast() == Frame.Cast.UNICAST && whole && coalescer.take(frame, ip, 0, 0);
    if (!stream) {
      coalescer.flush();
      scratch.asSlice(0, Ethernet.VNET).fill((byte) 0);
      pieces.start(scratch, 0, Ethernet.VNET).add(s, frame.at(), frame.length());
      if (!pieces.give(device, whole ? device.queueOf(s, ip) : 0)) {
        link.drop(Drop.RX_FULL);
      }
    }
  }

  private void give(int length) {
    give(length, scratch);
  }

  private void give(int length, MemorySegment from) {
    from.asSlice(0, Ethernet.VNET).fill((byte) 0);
    if (!device.write(0, from, (long) Ethernet.VNET + length)) {
      link.drop(Drop.RX_FULL);
    }
  }

  @Override
  public void receivedAll() {
    coalescer.flush();
    below.receivedAll();
  }

  @Override
  public Map<String, String> neighbours() {
    return below.neighbours();
  }

  @Override
  public void close() {
    below.close();
    routes.close();
    presence.close();
  }
}
