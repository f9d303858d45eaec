package ib.web.counters;

import ib.core.verbs.PortCounter;
import java.util.Map;

/**
 * The counters of a port at one moment.
 *
 * @param atNs when, by {@link System#nanoTime}
 * @param sentBytes bytes sent
 * @param receivedBytes bytes received
 * @param packets packets sent and received
 * @param drops packets dropped, by the name of the counter; only those above 0
 */
record Sample(
    long atNs, long sentBytes, long receivedBytes, long packets, Map<String, Long> drops) {
  private static final int WORD = 4; // PortXmitData counts in 4 octets (IBA 16.1.4.11)

  /** Copies the map. */
  Sample {
    drops = Map.copyOf(drops);
  }

  static Sample of(long atNs, Map<PortCounter, Long> port, Map<String, Long> drops) {
    return new Sample(
        atNs,
        WORD * port.getOrDefault(PortCounter.XMIT_DATA, 0L),
        WORD * port.getOrDefault(PortCounter.RCV_DATA, 0L),
        port.getOrDefault(PortCounter.XMIT_PKTS, 0L) + port.getOrDefault(PortCounter.RCV_PKTS, 0L),
        drops);
  }

  /** {@return all drops together} */
  long dropCount() {
    return drops.values().stream().mapToLong(Long::longValue).sum();
  }
}
