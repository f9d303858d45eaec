package ib.driver.soft.topology;

import ib.core.verbs.PortCounter;
import java.util.concurrent.atomic.AtomicLong;

/** What a port counts beside its adapter. Any thread counts; resets are under the fabric's lock. */
public final class PortTally {
  /** Packets sent to another switch. */
  public final AtomicLong packets = new AtomicLong();

  /** Of them those to a group. */
  public final AtomicLong multicast = new AtomicLong();

  /** Their data in units of 4 octets. */
  public final AtomicLong words = new AtomicLong();

  /** Packets not taken for partition enforcement. */
  public final AtomicLong refusedIn = new AtomicLong();

  /** Packets not sent for partition enforcement. */
  public final AtomicLong refusedOut = new AtomicLong();

  /** Times that the packets of its link had too many errors. */
  public final AtomicLong integrity = new AtomicLong();

  private final long[][] resets =
      new long[PortCounter.Form.values().length][PortCounter.values().length];

  PortTally() {}

  /**
   * Counts a packet to another switch.
   *
   * @param count how many it stands for
   * @param data their data in units of 4 octets
   * @param group whether it goes to a group
   */
  public void sent(int count, int data, boolean group) {
    packets.getAndAdd(count);
    words.getAndAdd(data);
    if (group) {
      multicast.getAndAdd(count);
    }
  }

  /**
   * What a counter was at its last reset.
   *
   * @param form the attribute
   * @param counter which
   * @return the value, 0 before the first reset
   */
  public long reset(PortCounter.Form form, PortCounter counter) {
    return resets[form.ordinal()][counter.ordinal()];
  }

  /**
   * Resets a counter.
   *
   * @param form the attribute
   * @param counter which
   * @param value what it is now
   */
  public void reset(PortCounter.Form form, PortCounter counter, long value) {
    resets[form.ordinal()][counter.ordinal()] = value;
  }
}
