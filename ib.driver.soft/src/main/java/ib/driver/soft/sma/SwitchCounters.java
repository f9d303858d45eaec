package ib.driver.soft.sma;

import ib.core.verbs.PortCounter;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.NodePort;
import ib.driver.soft.topology.PortTally;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The counters of ports. An adapter counts its own packets. A switch port whose cable ends at an
 * adapter has sent the packets that the adapter has received, and has received those that the
 * adapter has sent; so no packet is counted twice. A packet between two switches is counted once,
 * by the port that sends the packet; the management datagrams that the fabric carries are not
 * counted there.
 */
final class SwitchCounters {
  private static final List<PortCounter> XMIT_DATA_SL = bySl(PortCounter.Form.XMIT_DATA_SL);
  private static final List<PortCounter> RCV_DATA_SL = bySl(PortCounter.Form.RCV_DATA_SL);

  private final Map<PortCounter, PortCounter> mirror = new EnumMap<>(PortCounter.class);

  SwitchCounters() {
    mirror(PortCounter.XMIT_DATA, PortCounter.RCV_DATA);
    mirror(PortCounter.XMIT_PKTS, PortCounter.RCV_PKTS);
    mirror(PortCounter.UNICAST_XMIT_PKTS, PortCounter.UNICAST_RCV_PKTS);
    mirror(PortCounter.MULTICAST_XMIT_PKTS, PortCounter.MULTICAST_RCV_PKTS);
    mirror(PortCounter.LINK_DOWNED, PortCounter.LINK_DOWNED);
    for (int sl = 0; sl < XMIT_DATA_SL.size(); sl++) {
      mirror(XMIT_DATA_SL.get(sl), RCV_DATA_SL.get(sl));
    }
  }

  private void mirror(PortCounter here, PortCounter there) {
    mirror.put(here, there);
    mirror.put(there, here);
  }

  private static PortCounter.Form mirrored(PortCounter.Form form) {
    return switch (form) {
      case XMIT_DATA_SL -> PortCounter.Form.RCV_DATA_SL;
      case RCV_DATA_SL -> PortCounter.Form.XMIT_DATA_SL;
      default -> form;
    };
  }

  private static List<PortCounter> bySl(PortCounter.Form form) {
    return Arrays.stream(PortCounter.values()).filter(c -> c.in(form)).toList();
  }

  /** {@return the counters of a port, 0 where nothing is counted} */
  Map<PortCounter, Long> read(NodePort port, PortCounter.Form form) {
    Map<PortCounter, Long> found = new EnumMap<>(PortCounter.class);
    own(port)
        .forEach(
            (counter, value) -> {
              if (counter.in(form)) {
                found.put(counter, value - port.tally().reset(form, counter));
              }
            });
    Adapter adapter = port.adapter();
    Adapter other = port.peer() == null ? null : port.peer().adapter();
    if (adapter != null) {
      adapter.counters(form).forEach((c, value) -> found.merge(c, value, Long::sum));
    } else if (other != null) {
      Map<PortCounter, Long> theirs = other.counters(mirrored(form));
      mirror.forEach((mine, its) -> found.put(mine, theirs.getOrDefault(its, 0L)));
    }
    return found;
  }

  /** {@return the counters of a switch port, including packets that the port's peer has sent} */
  private static Map<PortCounter, Long> own(NodePort port) {
    Map<PortCounter, Long> found = new EnumMap<>(PortCounter.class);
    PortTally tally = port.tally();
    NodePort peer = port.peer();
    found.put(PortCounter.LOCAL_LINK_INTEGRITY_ERRORS, tally.integrity.get());
    found.put(PortCounter.XMIT_DISCARDS, tally.tooLong.get());
    found.put(PortCounter.NEIGHBOR_MTU_DISCARDS, tally.tooLong.get());
    if (port.node().isSwitch()) {
      found.put(PortCounter.RCV_CONSTRAINT_ERRORS, tally.refusedIn.get());
      found.put(PortCounter.XMIT_CONSTRAINT_ERRORS, tally.refusedOut.get());
    }
    if (peer != null && port.node().isSwitch() && peer.node().isSwitch()) {
      PortTally theirs = peer.tally();
      found.put(PortCounter.XMIT_PKTS, tally.packets.get());
      found.put(PortCounter.XMIT_DATA, tally.words());
      found.put(PortCounter.MULTICAST_XMIT_PKTS, tally.multicast.get());
      found.put(PortCounter.UNICAST_XMIT_PKTS, tally.packets.get() - tally.multicast.get());
      for (int sl = 0; sl < XMIT_DATA_SL.size(); sl++) {
        found.put(XMIT_DATA_SL.get(sl), tally.words(sl));
        found.put(RCV_DATA_SL.get(sl), theirs.words(sl));
      }
      found.put(PortCounter.RCV_PKTS, theirs.packets.get());
      found.put(PortCounter.RCV_DATA, theirs.words());
      found.put(PortCounter.MULTICAST_RCV_PKTS, theirs.multicast.get());
      found.put(PortCounter.UNICAST_RCV_PKTS, theirs.packets.get() - theirs.multicast.get());
    }
    return found;
  }

  /**
   * Resets counters. The two ends of an adapter's link count the same packets, so this method
   * resets both ends.
   */
  void reset(NodePort port, PortCounter.Form form, Set<PortCounter> which) {
    own(port)
        .forEach(
            (counter, value) -> {
              if (which.contains(counter)) {
                port.tally().reset(form, counter, value);
              }
            });
    Adapter own = port.adapter();
    Adapter other = port.peer() == null ? null : port.peer().adapter();
    if (own != null) {
      own.resetCounters(form, which);
    } else if (other != null) {
      Set<PortCounter> theirs = EnumSet.noneOf(PortCounter.class);
      which.stream().filter(mirror::containsKey).forEach(c -> theirs.add(mirror.get(c)));
      other.resetCounters(mirrored(form), theirs);
    }
  }
}
