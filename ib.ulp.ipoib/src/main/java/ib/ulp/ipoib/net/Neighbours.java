package ib.ulp.ipoib.net;

import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.wire.AddressOption;
import ib.ulp.ipoib.wire.Arp;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The neighbour table of a stack: resolves IP addresses to link addresses, answers ARP and
 * neighbour discovery (RFC 826 with RFC 4391 section 9.2; RFC 4861). Used on the loop's thread
 * only.
 */
public final class Neighbours {
  /** How many packets wait for the answer of one neighbour. */
  static final int QUEUE = 3;

  /** How long an entry is valid after an answer (RFC 4861 section 10, REACHABLE_TIME). */
  static final long REACHABLE_NS = 30_000_000_000L;

  /** Time between solicitations (RETRANS_TIMER). */
  static final long RETRY_NS = 1_000_000_000L;

  static final int TRIES = 3;

  /** How many neighbours are kept: a peer that asks is one, and may claim any address. */
  static final int MAX_ENTRIES = 4096;

  private static final int SOLICITATION = 135;
  private static final int ADVERTISEMENT = 136;
  private static final int SOLICITED = 0x4000_0000;
  private static final int OVERRIDE = 0x2000_0000;
  private static final int ND_HOP_LIMIT = 255;
  private static final int ND_BYTES = 24;

  /** Is notified of addresses that other nodes use. */
  @FunctionalInterface
  interface Claimant {
    /**
     * Called when another node uses or probes an address. {@return whether the address was being
     * probed here}
     */
    boolean taken(Ip address);
  }

  /** A packet that waits, and its EtherType. */
  private record Waiting(int type, byte[] packet) {}

  private static final class Neighbour {
    final Ip ip;
    final Deque<Waiting> queue = new ArrayDeque<>();
    @Nullable LinkAddress address;
    long confirmedNs;
    boolean asking;
    int tries;

    Neighbour(Ip ip) {
      this.ip = ip;
    }
  }

  private final Link link;
  private final Supplier<List<Ip>> own;
  private final UnaryOperator<Ip> source;
  private final Map<Ip, Neighbour> table = new LinkedHashMap<>(16, 0.75f, true); // last used last
  private final MemorySegment buffer = Arena.ofAuto().allocate(128);
  private final Outgoing packet = new Outgoing();
  private final IpPacket ip = new IpPacket();
  private Claimant claimant = address -> false;

  /**
   * Creates an empty table.
   *
   * @param own the addresses that this table answers for
   * @param source chooses the source address of a solicitation for a target
   */
  public Neighbours(Link link, Supplier<List<Ip>> own, UnaryOperator<Ip> source) {
    this.link = link;
    this.own = own;
    this.source = source;
  }

  /** Sets the listener for addresses that other nodes use. */
  void claimant(Claimant listener) {
    claimant = listener;
  }

  /** Sends a probe: a solicitation from the unspecified address (RFC 4862 section 5.4.2). */
  void probe(Ip target) {
    int at = solicitation(target, target.solicitedNode());
    packet.set(Encapsulation.IPV6, buffer, 0, at + ND_BYTES);
    post(target.solicitedNode(), null);
  }

  private int solicitation(Ip target, Ip to) {
    Ip nobody = new Ip(0, 0);
    int at = IpPacket.write(buffer, 0, nobody, to, IpPacket.ICMPV6, ND_BYTES, ND_HOP_LIMIT);
    Octets.u32(buffer, at, SOLICITATION << 24);
    Octets.u32(buffer, at + 4, 0);
    Octets.ip(buffer, at + 8, target);
    long pseudo = Checksum.pseudo(nobody, to, IpPacket.ICMPV6, ND_BYTES);
    Octets.u16(buffer, at + 2, Checksum.fold(Checksum.sum(buffer, at, ND_BYTES, pseudo)));
    return at;
  }

  /** Sends a packet to a neighbour, which is resolved first if it is not known. */
  public void send(Ip next, Outgoing out) {
    Neighbour neighbour = of(next);
    LinkAddress to = neighbour.address;
    if (to == null || link.loop().now() - neighbour.confirmedNs > REACHABLE_NS) {
      ask(neighbour);
    }
    if (to != null) {
      link.unicast(to, out);
    } else if (neighbour.queue.size() >= QUEUE) {
      link.drop(Drop.TX_NEIGHBOUR_QUEUE);
    } else {
      byte[] bytes = new byte[out.length()];
      out.copyPacket(MemorySegment.ofArray(bytes), 0);
      neighbour.queue.add(new Waiting(out.type(), bytes));
    }
  }

  /** The entry of an address; when there are too many, the one that was unused for longest goes. */
  private Neighbour of(Ip who) {
    Neighbour known = table.get(who);
    if (known != null) {
      return known;
    }
    if (table.size() >= MAX_ENTRIES) {
      Iterator<Neighbour> eldest = table.values().iterator();
      eldest.next().queue.forEach(waiting -> link.drop(Drop.TX_NEIGHBOUR_QUEUE));
      eldest.remove();
    }
    Neighbour made = new Neighbour(who);
    table.put(who, made);
    return made;
  }

  /** {@return the link address of a neighbour; null if it must be resolved first} */
  @Nullable LinkAddress known(Ip next) {
    Neighbour neighbour = table.get(next);
    if (neighbour == null || link.loop().now() - neighbour.confirmedNs > REACHABLE_NS) {
      return null;
    }
    return neighbour.address;
  }

  private void ask(Neighbour neighbour) {
    if (!neighbour.asking) {
      neighbour.asking = true;
      neighbour.tries = 0;
      again(neighbour);
    }
  }

  private void again(Neighbour neighbour) {
    if (table.get(neighbour.ip) != neighbour || !neighbour.asking) {
      return;
    }
    if (neighbour.tries == TRIES && neighbour.address != null) {
      neighbour.address =
          null; // D5: another node may have the address now, or the node has a new queue pair
      neighbour.tries = 0;
    }
    if (neighbour.tries == TRIES) {
      table.remove(neighbour.ip);
      neighbour.queue.forEach(waiting -> link.drop(Drop.TX_UNREACHABLE));
      return;
    }
    neighbour.tries++;
    question(neighbour.ip, neighbour.address);
    link.loop().after(RETRY_NS, () -> again(neighbour));
  }

  private void question(Ip target, @Nullable LinkAddress known) {
    Ip from = source.apply(target);
    if (target.isV4()) {
      LinkAddress mine = link.state().address();
      new Arp(Arp.REQUEST, mine, from.v4(), Arp.UNKNOWN, target.v4()).write(buffer, 0);
      packet.set(Encapsulation.ARP, buffer, 0, Arp.BYTES);
      if (known == null) {
        link.broadcast(packet);
      } else {
        link.unicast(known, packet);
      }
    } else {
      Ip to = known == null ? target.solicitedNode() : target;
      discovery(from, to, SOLICITATION, 0, target, AddressOption.SOURCE);
      post(to, known);
    }
  }

  private void discovery(Ip from, Ip to, int type, int flags, Ip target, int option) {
    int length = ND_BYTES + AddressOption.BYTES;
    int at = IpPacket.write(buffer, 0, from, to, IpPacket.ICMPV6, length, ND_HOP_LIMIT);
    Octets.u32(buffer, at, type << 24);
    Octets.u32(buffer, at + 4, flags);
    Octets.ip(buffer, at + 8, target);
    AddressOption.write(buffer, at + ND_BYTES, option, link.state().address());
    long pseudo = Checksum.pseudo(from, to, IpPacket.ICMPV6, length);
    Octets.u16(buffer, at + 2, Checksum.fold(Checksum.sum(buffer, at, length, pseudo)));
    packet.set(Encapsulation.IPV6, buffer, 0, at + length);
  }

  private void post(Ip to, @Nullable LinkAddress known) {
    if (to.isMulticast()) {
      link.multicast(Groups.of(to, link.state().broadcast()), packet);
    } else if (known != null) {
      link.unicast(known, packet);
    } else {
      send(to, packet);
    }
  }

  /** Handles a received ARP packet. */
  public void arp(Frame frame) {
    Arp arp = Arp.read(frame.segment(), frame.at(), frame.length());
    if (arp == null) {
      link.drop(Drop.RX_MALFORMED);
      return;
    }
    Ip sender = Ip.v4(arp.senderIp());
    boolean mine = own.get().contains(Ip.v4(arp.targetIp()));
    if (arp.senderIp() != 0 && !own.get().contains(sender)) {
      learn(sender, arp.sender(), mine);
    }
    if (mine && arp.operation() == Arp.REQUEST) {
      LinkAddress me = link.state().address();
      new Arp(Arp.REPLY, me, arp.targetIp(), arp.sender(), arp.senderIp()).write(buffer, 0);
      link.unicast(arp.sender(), packet.set(Encapsulation.ARP, buffer, 0, Arp.BYTES));
    }
  }

  /**
   * Handles a received neighbour solicitation or advertisement.
   *
   * @return whether the packet was one of these
   */
  public boolean discovery(Frame frame) {
    MemorySegment s = frame.segment();
    if (!ip.read(s, frame.at(), frame.length()) || ip.protocol() != IpPacket.ICMPV6) {
      return false;
    }
    int type = ip.payloadLength() < ND_BYTES ? 0 : Octets.u8(s, ip.payloadAt());
    if (type != SOLICITATION && type != ADVERTISEMENT) {
      return false;
    }
    // RFC 4861 sections 7.1.1 and 7.1.2
    boolean good = ip.hopLimit() == ND_HOP_LIMIT && Octets.u8(s, ip.payloadAt() + 1) == 0;
    if (!good || ip.from().isMulticast()) { // a group sends nothing (RFC 4291 section 2.7)
      link.drop(Drop.RX_MALFORMED);
    } else if (!ip.checksumHolds(s)) {
      link.drop(Drop.RX_CHECKSUM);
    } else {
      Ip target = Octets.ip(s, ip.payloadAt() + 8);
      long options = ip.payloadAt() + ND_BYTES;
      long end = ip.payloadAt() + ip.payloadLength();
      if (type == SOLICITATION) {
        solicited(target, AddressOption.find(s, options, end, AddressOption.SOURCE));
      } else {
        LinkAddress address = AddressOption.find(s, options, end, AddressOption.TARGET);
        if (!claimant.taken(target) && address != null && !own.get().contains(target)) {
          learn(target, address, false);
        }
      }
    }
    return true;
  }

  private void solicited(Ip target, @Nullable LinkAddress asker) {
    Ip from = ip.from();
    if (!own.get().contains(target)) {
      if (from.isZero()) {
        claimant.taken(
            target); // RFC 4862 section 5.4.3: two nodes probe the address, neither may use it
      }
      return;
    }
    boolean probe = from.isZero(); // RFC 4862: a node probes one of our addresses
    if (!probe && asker != null) {
      learn(from, asker, true);
    }
    Ip to = probe ? Ip.ALL_NODES : from;
    int flags = probe ? OVERRIDE : SOLICITED | OVERRIDE;
    discovery(target, to, ADVERTISEMENT, flags, target, AddressOption.TARGET);
    post(to, asker);
  }

  private void learn(Ip who, LinkAddress address, boolean create) {
    Neighbour neighbour = create ? of(who) : table.get(who);
    if (neighbour == null) {
      return;
    }
    neighbour.address = address; // D5: the newest answer counts
    neighbour.confirmedNs = link.loop().now();
    neighbour.asking = false;
    Outgoing out = new Outgoing();
    for (Waiting w = neighbour.queue.poll(); w != null; w = neighbour.queue.poll()) {
      link.unicast(
          address, out.set(w.type(), MemorySegment.ofArray(w.packet()), 0, w.packet().length));
    }
  }

  /** Announces the link address of one of this stack's addresses to all neighbours (1.5, D5). */
  public void announce(Ip mine) {
    if (mine.isV4()) {
      LinkAddress me = link.state().address();
      new Arp(Arp.REQUEST, me, mine.v4(), Arp.UNKNOWN, mine.v4()).write(buffer, 0);
      link.broadcast(packet.set(Encapsulation.ARP, buffer, 0, Arp.BYTES));
    } else {
      discovery(mine, Ip.ALL_NODES, ADVERTISEMENT, OVERRIDE, mine, AddressOption.TARGET);
      post(Ip.ALL_NODES, null);
    }
  }

  /** Forgets all neighbours and drops the packets that wait for them. */
  public void flush() {
    table.values().forEach(n -> n.queue.forEach(waiting -> link.drop(Drop.TX_NO_CARRIER)));
    table.clear();
  }

  /** {@return link address and state by IP address, sorted, as text for users} */
  public Map<String, String> list() {
    Map<String, String> list = new TreeMap<>();
    long now = link.loop().now();
    table.forEach(
        (address, n) ->
            list.put(
                address.toString(),
                n.address == null
                    ? "INCOMPLETE"
                    : n.address + (now - n.confirmedNs > REACHABLE_NS ? " STALE" : " REACHABLE")));
    return list;
  }
}
