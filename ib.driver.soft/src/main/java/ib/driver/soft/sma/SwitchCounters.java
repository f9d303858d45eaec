package ib.driver.soft.sma;

import static java.util.Map.entry;

import ib.core.verbs.PortCounter;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.NodePort;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Counters of ports. An adapter counts for itself. A switch port that an adapter is cabled to has
 * sent what the adapter has received, and the other way round: no packet is touched to count it.
 * Between switches nothing is counted.
 */
final class SwitchCounters {
  private static final Map<PortCounter, PortCounter> MIRROR =
      Map.ofEntries(
          entry(PortCounter.XMIT_DATA, PortCounter.RCV_DATA),
          entry(PortCounter.RCV_DATA, PortCounter.XMIT_DATA),
          entry(PortCounter.XMIT_PKTS, PortCounter.RCV_PKTS),
          entry(PortCounter.RCV_PKTS, PortCounter.XMIT_PKTS),
          entry(PortCounter.UNICAST_XMIT_PKTS, PortCounter.UNICAST_RCV_PKTS),
          entry(PortCounter.UNICAST_RCV_PKTS, PortCounter.UNICAST_XMIT_PKTS),
          entry(PortCounter.MULTICAST_XMIT_PKTS, PortCounter.MULTICAST_RCV_PKTS),
          entry(PortCounter.MULTICAST_RCV_PKTS, PortCounter.MULTICAST_XMIT_PKTS),
          entry(PortCounter.LINK_DOWNED, PortCounter.LINK_DOWNED));

  SwitchCounters() {}

  /** {@return the counters of a port, 0 where nothing is counted} */
  Map<PortCounter, Long> read(NodePort port, PortCounter.Form form) {
    Adapter own = port.adapter();
    if (own != null) {
      return own.counters(form);
    }
    Map<PortCounter, Long> found = new EnumMap<>(PortCounter.class);
    Adapter other = port.peer() == null ? null : port.peer().adapter();
    if (other != null) {
      Map<PortCounter, Long> theirs = other.counters(form);
      MIRROR.forEach((mine, its) -> found.put(mine, theirs.getOrDefault(its, 0L)));
    }
    return found;
  }

  /** Sets counters to 0; the two ends of a link count the same packets, so both begin anew. */
  void reset(NodePort port, PortCounter.Form form, Set<PortCounter> which) {
    Adapter own = port.adapter();
    Adapter other = port.peer() == null ? null : port.peer().adapter();
    if (own != null) {
      own.resetCounters(form, which);
    } else if (other != null) {
      Set<PortCounter> theirs = java.util.EnumSet.noneOf(PortCounter.class);
      which.forEach(c -> theirs.add(MIRROR.getOrDefault(c, c)));
      other.resetCounters(form, theirs);
    }
  }
}
