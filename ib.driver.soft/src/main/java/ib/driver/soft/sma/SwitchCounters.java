package ib.driver.soft.sma;

import static java.util.Map.entry;

import ib.core.verbs.PortCounter;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.NodePort;
import ib.driver.soft.topology.PortTally;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Counters of ports. An adapter counts for itself. A switch port that an adapter is cabled to has
 * sent what the adapter has received, and the other way round: no packet is touched to count it.
 * What goes between switches is counted once, where it is sent, with data of all queue pairs but
 * the datagrams that the fabric itself carries.
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
      Map<PortCounter, Long> theirs = other.counters(form);
      MIRROR.forEach((mine, its) -> found.put(mine, theirs.getOrDefault(its, 0L)));
    }
    return found;
  }

  /** What a port counts beside its adapter, and what its peer has sent to it. */
  private static Map<PortCounter, Long> own(NodePort port) {
    Map<PortCounter, Long> found = new EnumMap<>(PortCounter.class);
    PortTally tally = port.tally();
    NodePort peer = port.peer();
    found.put(PortCounter.LOCAL_LINK_INTEGRITY_ERRORS, tally.integrity.get());
    if (port.node().isSwitch()) {
      found.put(PortCounter.RCV_CONSTRAINT_ERRORS, tally.refusedIn.get());
      found.put(PortCounter.XMIT_CONSTRAINT_ERRORS, tally.refusedOut.get());
    }
    if (peer != null && port.node().isSwitch() && peer.node().isSwitch()) {
      PortTally theirs = peer.tally();
      found.put(PortCounter.XMIT_PKTS, tally.packets.get());
      found.put(PortCounter.XMIT_DATA, tally.words.get());
      found.put(PortCounter.MULTICAST_XMIT_PKTS, tally.multicast.get());
      found.put(PortCounter.UNICAST_XMIT_PKTS, tally.packets.get() - tally.multicast.get());
      found.put(PortCounter.RCV_PKTS, theirs.packets.get());
      found.put(PortCounter.RCV_DATA, theirs.words.get());
      found.put(PortCounter.MULTICAST_RCV_PKTS, theirs.multicast.get());
      found.put(PortCounter.UNICAST_RCV_PKTS, theirs.packets.get() - theirs.multicast.get());
    }
    return found;
  }

  /**
   * Sets counters to 0; the two ends of an adapter's link count the same packets, so both begin
   * anew.
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
      which.forEach(c -> theirs.add(MIRROR.getOrDefault(c, c)));
      other.resetCounters(form, theirs);
    }
  }
}
