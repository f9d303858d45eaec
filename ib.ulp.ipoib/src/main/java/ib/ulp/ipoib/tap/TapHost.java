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
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A link whose IP stack is the kernel's, behind a TAP device. */
public final class TapHost implements Host, Loop.Work {
  private static final int BATCH = 64;
  private static final long QUERY_NS = 30_000_000_000L;
  private static final int SPOKEN_MOST = 64;
  private static final int IPV6_LEAST = 1280;
  private static final long AGAIN_LEAST_NS = 100_000_000L;
  private static final long AGAIN_MOST_NS = 30_000_000_000L;

  private final Logger log = LoggerFactory.getLogger(TapHost.class);
  private final TapDevice device;
  private final Link link;
  private final MemorySegment in;
  private final Outward outward;
  private final Inward inward;
  private final MacTable table = new MacTable();
  private final Set<Ip> wanted = new LinkedHashSet<>(Set.of(Ip.ALL_SYSTEMS, Ip.ALL_NODES));
  private final Set<Ip> spoken = new LinkedHashSet<>(); // own addresses, by what the kernel said
  private final Neighbours announcer;
  private @Nullable LinkState last;
  private @Nullable Gid linked; // the broadcast group whose link the groups were joined on
  private Loop.@Nullable Timer query;
  private boolean lost;
  private boolean closed;

  TapHost(TapDevice device, Link link, Arena arena) {
    this.device = device;
    this.link = link;
    in = arena.allocate(Ethernet.LONGEST + 64L, 8);
    inward = new Inward(device, link, table, arena);
    outward = new Outward(link, table, inward, this::reported, this::spoke, arena);
    announcer = new Neighbours(link, () -> List.copyOf(spoken), own -> own);
  }

  /** What the kernel calls it. */
  public String name() {
    return device.name();
  }

  @Override
  public void linkChanged(LinkState state) {
    LinkState before = last;
    last = state;
    outward.own(state.address());
    inward.own(state.address());
    if (!lost) {
      configure(before, state);
    }
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

  private void configure(@Nullable LinkState before, LinkState state) {
    try {
      if (before == null) {
        device.mac(inward.mac());
      }
      if (before == null || before.mtu() != state.mtu()) {
        mtu(state.mtu());
      }
      device.carrier(state.carrier());
    } catch (IOException e) {
      gone(e);
    }
  }

  private void mtu(int bytes) {
    if (bytes < IPV6_LEAST) {
      log.warn("{}: the kernel has no IPv6 with an MTU of {}: 1280 is the least", name(), bytes);
    }
    try {
      device.mtu(bytes);
    } catch (IOException e) {
      log.info("{}: set its MTU to {} where it is now: {}", device.name(), bytes, e.getMessage());
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

  /** Asks the kernel what groups it listens to: its reports before the carrier were lost (P4). */
  private void ask() {
    LinkState now = last;
    if (query != null) {
      query.cancel();
    }
    if (now != null && now.carrier() && !lost) {
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
    if (spoken.size() < SPOKEN_MOST) {
      spoken.add(own);
    }
  }

  @Override
  public boolean step() {
    boolean any = false;
    try {
      for (int i = 0; i < BATCH && !lost; i++) {
        if (!link.hasRoom()) {
          device.reading(false);
          return any;
        }
        int length = device.read(in);
        if (length == 0) {
          return any;
        }
        any = true;
        outward.frame(in, length);
      }
    } catch (IOException e) {
      gone(e);
    }
    return any;
  }

  /** The kernel has taken the device away (P2). */
  private void gone(IOException why) {
    if (!lost) {
      lost = true;
      device.lose();
      log.error(
          "interface {} is lost: {}; it is made again, without its addresses",
          device.name(),
          why.getMessage());
      link.loop().after(AGAIN_LEAST_NS, () -> again(AGAIN_LEAST_NS));
    }
  }

  /** Makes the device anew, later and later while the kernel refuses. */
  private void again(long waited) {
    if (closed) {
      return;
    }
    try {
      device.again();
    } catch (IOException e) {
      long next = Math.min(2 * waited, AGAIN_MOST_NS);
      log.debug("interface {} can not be made again yet: {}", device.name(), e.getMessage());
      link.loop().after(next, () -> again(next));
      return;
    }
    lost = false;
    LinkState now = last;
    last = null;
    if (now != null) {
      linkChanged(now);
    }
    log.info("interface {} is there again", device.name());
  }

  @Override
  public boolean arm() {
    return false; // poll(2) sees what has come meanwhile
  }

  @Override
  public void writable() {
    device.reading(!lost);
  }

  @Override
  public void received(Frame frame) {
    if (!lost) {
      inward.frame(frame);
    }
  }

  @Override
  public void tooLong(Outgoing packet, int mtu) {
    if (!lost) {
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
    lost = true;
    closed = true;
    device.close();
  }
}
