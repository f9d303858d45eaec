package ib.driver.soft.topology;

import ib.core.verbs.PortCounter;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters of a port beyond those of its adapter. Any thread counts; a thread that resets a
 * counter holds the fabric's monitor.
 */
public final class PortTally {
  private static final int SERVICE_LEVELS = 16;

  /** Packets sent to another switch. */
  public final AtomicLong packets = new AtomicLong();

  /** Of them those to a group. */
  public final AtomicLong multicast = new AtomicLong();

  private final AtomicLongArray words = new AtomicLongArray(SERVICE_LEVELS); // their data

  /** Packets not taken for partition enforcement. */
  public final AtomicLong refusedIn = new AtomicLong();

  /** Packets not sent for partition enforcement. */
  public final AtomicLong refusedOut = new AtomicLong();

  /** Packets not sent because they were longer than the link's MTU. */
  public final AtomicLong tooLong = new AtomicLong();

  /** Times that the packets of its link had too many errors. */
  public final AtomicLong integrity = new AtomicLong();

  private final Map<PortCounter.Form, long[]> resets = new EnumMap<>(PortCounter.Form.class);

  PortTally() {}

  /**
   * Counts a packet to another switch.
   *
   * @param count how many it stands for
   * @param data their data in units of 4 octets
   * @param sl service level
   * @param group whether it goes to a group
   */
  public void sent(int count, int data, int sl, boolean group) {
    packets.getAndAdd(count);
    words.getAndAdd(sl & SERVICE_LEVELS - 1, data);
    if (group) {
      multicast.getAndAdd(count);
    }
  }

  /**
   * Data of the packets to another switch, by service level.
   *
   * @param sl service level
   * @return units of 4 octets
   */
  public long words(int sl) {
    return words.get(sl);
  }

  /** {@return the same on all service levels} */
  public long words() {
    long sum = 0;
    for (int sl = 0; sl < SERVICE_LEVELS; sl++) {
      sum += words.get(sl);
    }
    return sum;
  }

  /**
   * Returns the value of a counter at its last reset.
   *
   * @param form the attribute
   * @param counter the counter
   * @return the value, 0 before the first reset
   */
  public long reset(PortCounter.Form form, PortCounter counter) {
    long[] values = resets.get(form);
    return values == null ? 0 : values[counter.ordinal()];
  }

  /**
   * Resets a counter.
   *
   * @param form the attribute
   * @param counter which
   * @param value what it is now
   */
  public void reset(PortCounter.Form form, PortCounter counter, long value) {
    long[] values = resets.computeIfAbsent(form, f -> new long[PortCounter.values().length]);
    values[counter.ordinal()] = value;
  }
}
