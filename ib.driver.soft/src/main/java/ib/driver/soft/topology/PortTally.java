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

  /** Packets sent to another switch whose destination is a group. */
  public final AtomicLong multicast = new AtomicLong();

  private final AtomicLongArray words =
      new AtomicLongArray(SERVICE_LEVELS); // data of these packets

  /** Packets that the port has not received, because of partition enforcement. */
  public final AtomicLong refusedIn = new AtomicLong();

  /** Packets that the port has not sent, because of partition enforcement. */
  public final AtomicLong refusedOut = new AtomicLong();

  /** Packets not sent because they were longer than the link's MTU. */
  public final AtomicLong tooLong = new AtomicLong();

  /** How often the packets of the link had too many errors (IBA 7.12.2). */
  public final AtomicLong integrity = new AtomicLong();

  private final Map<PortCounter.Form, long[]> resets = new EnumMap<>(PortCounter.Form.class);

  PortTally() {}

  /**
   * Counts a packet to another switch.
   *
   * @param count the number of packets on the wire, for a packet that is not divided into them
   * @param data the data of these packets in units of 4 octets
   * @param sl service level
   * @param group whether the destination is a group
   */
  public void sent(int count, int data, int sl, boolean group) {
    packets.getAndAdd(count);
    words.getAndAdd(sl & SERVICE_LEVELS - 1, data);
    if (group) {
      multicast.getAndAdd(count);
    }
  }

  /**
   * Returns the amount of data sent to another switch on a service level.
   *
   * @param sl service level
   * @return units of 4 octets
   */
  public long words(int sl) {
    return words.get(sl);
  }

  /**
   * {@return the amount of data sent to another switch on all service levels, in units of 4 octets}
   */
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
   * @param counter the counter
   * @param value the present value of the counter
   */
  public void reset(PortCounter.Form form, PortCounter counter, long value) {
    long[] values = resets.computeIfAbsent(form, f -> new long[PortCounter.values().length]);
    values[counter.ordinal()] = value;
  }
}
