package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkState;
import ib.ulp.ipoib.link.Outgoing;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.Neighbours;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connects a link to the kernel's IP stack behind a TAP device. Used on the loop's thread only. */
public final class TapHost implements Host, Loop.Work {
  private static final long QUERY_NS = 30_000_000_000L;
  private static final int MAX_SPOKEN = 64;

  final TapDevice device;
  private final Link link;
  private final MemorySegment in; // used while the link has no free long buffer
  private final Outward outward;
  private final Inward inward;
  private final MacTable table = new MacTable();
  private final Set<Ip> wanted = new LinkedHashSet<>(Set.of(Ip.ALL_SYSTEMS, Ip.ALL_NODES));
  private final Set<Ip> spoken =
      new LinkedHashSet<>(); // the kernel's addresses, from its ARP and neighbour discovery
  private final Neighbours announcer;
  private @Nullable LinkState last;
  private @Nullable Gid linked; // the broadcast group whose link the groups were joined on
  private Loop.@Nullable Timer query;
  private final Presence presence;
  private final IntConsumer taker = this::frame;
  private final Supplier<MemorySegment> places = this::space;
  private MemorySegment into;

  TapHost(TapDevice device, Link link, Arena arena) {
    this.device = device;
    this.link = link;
    in = arena.allocate(Ethernet.LONGEST + 64L, 8);
    into = in;
    inward = new Inward(device, device.name, link, table, arena);
    outward = new Outward(link, table, inward, this::reported, this::spoke, arena);
    presence = new Presence(device, link, this::ask);
    announcer = new Neighbours(link, () -> List.copyOf(spoken), own -> own);
  }

  /** {@return the name of the kernel's device} */
  public String name() {
    return device.name;
  }

  @Override
  public void linkChanged(LinkState state) {
    LinkState before = last;
    last = state;
    outward.own(state.address());
    inward.own(state.address());
    presence.show(state, inward.mac());
    if (!state.carrier()) {
      return;
    }
    if (!state.broadcast().equals(linked)) {
      relink(state.broadcast());
    }
    if (before == null || !before.carrier()) {
      ask();
    }
    if (before != null && !before.address().equals(state.address())) {
      spoken.forEach(announcer::announce); // 1.5, D5
    }
  }

  private void relink(Gid broadcast) {
    Gid old = linked;
    linked = broadcast;
    for (Ip group : wanted) {
      if (old != null) {
        link.leave(Groups.of(group, old));
      }
      link.join(Groups.of(group, broadcast));
    }
  }

  /**
   * Sends queries for the groups of the kernel, whose reports before the carrier were lost (P4).
   */
  private void ask() {
    LinkState now = last;
    if (query != null) {
      query.cancel();
    }
    if (now != null && now.carrier() && !presence.lost()) {
      inward.queries();
      query = link.loop().after(QUERY_NS, this::ask);
    }
  }

  private void reported(Ip group, boolean listens) {
    boolean always = group.equals(Ip.ALL_NODES) || group.equals(Ip.ALL_SYSTEMS);
    if (!group.isMulticast() || always) {
      return;
    }
    boolean changed = listens ? wanted.add(group) : wanted.remove(group);
    if (changed && linked != null) {
      if (listens) {
        link.join(Groups.of(group, linked));
      } else {
        link.leave(Groups.of(group, linked));
      }
    }
  }

  private void spoke(Ip own) {
    if (spoken.size() < MAX_SPOKEN) {
      spoken.add(own);
    }
  }

  private void frame(int length) {
    outward.frame(into, length);
  }

  /** {@return the memory for the next frame, a long buffer if one is free} */
  private MemorySegment space() {
    MemorySegment place = link.longs().space();
    into = place == null ? in : place;
    return into;
  }

  @Override
  public boolean step() {
    return presence.read(places, taker);
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
  public void received(Frame frame) {
    if (presence.lost()) {
      return;
    }
    if (frame.mss() > 0) {
      inward.together(frame);
    } else {
      inward.frame(frame);
    }
  }

  @Override
  public boolean takesLong() {
    return true;
  }

  @Override
  public void tooLong(Outgoing packet, int mtu) {
    if (!presence.lost()) {
      inward.tooBig(packet, mtu);
    }
  }

  @Override
  public void receivedAll() {
    inward.flush();
  }

  @Override
  public Map<String, String> neighbours() {
    return table.list();
  }

  @Override
  public void close() {
    presence.close();
  }
}
