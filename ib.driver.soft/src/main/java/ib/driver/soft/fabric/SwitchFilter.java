package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.driver.soft.topology.NodePort;
import ib.engine.wire.Packet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The checks at the switch's end of an adapter's cable. A packet that is longer than the link's MTU
 * does not go out to the adapter (IBA 16.1.4.1). Where the subnet manager has the switch enforce
 * partitions, only packets of a partition in the switch port's table pass (IBA 10.9.7, 18.2.5.3);
 * limited membership is checked by the endpoints. Any thread may have a packet checked, without
 * waiting; the callers of the other methods hold the fabric's monitor.
 */
final class SwitchFilter {
  private static final int BASE = 0x7fff;

  private final NodePort port;
  private final KeyViolation violation;
  private volatile int @Nullable [] inbound; // null: everything passes
  private volatile int @Nullable [] outbound;
  private volatile boolean moot = true;

  SwitchFilter(FabricPort end, NodePort port) {
    this.port = port;
    this.violation = new KeyViolation(end);
  }

  /**
   * Adopts the tables that the subnet manager has written.
   *
   * @param adapter the table of the adapter behind the port
   */
  void settle(int[] adapter) {
    boolean in = PortInfo.PARTITION_ENFORCEMENT_INBOUND.in(port.info()) != 0;
    boolean out = PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.in(port.info()) != 0;
    int[] table = in || out ? port.pkeys().clone() : null;
    inbound = in ? table : null;
    outbound = out ? table : null;
    boolean all = true;
    for (int pkey : adapter) {
      all &= (pkey & BASE) == 0 || table == null || has(table, pkey);
    }
    moot = all;
  }

  /**
   * {@return whether this filter drops only packets that the adapter itself does not send, or does
   * not take}
   */
  boolean moot() {
    return moot;
  }

  /** Returns whether a packet is not longer than the link to the adapter allows. */
  boolean fits(Packet p, int mtuBytes) {
    if (p.payload.length() <= (long) p.psnCount * mtuBytes) {
      return true;
    }
    port.tally().tooLong.getAndIncrement();
    return false;
  }

  /** Returns whether a packet may come in from the adapter. */
  boolean admits(Packet p) {
    int[] table = inbound;
    return table == null
        || p.destQpn == 0
        || has(table, p.pkey)
        || refused(port.tally().refusedIn, p);
  }

  /** Returns whether a packet may go out to the adapter. */
  boolean emits(Packet p) {
    int[] table = outbound;
    return table == null
        || p.destQpn == 0
        || has(table, p.pkey)
        || refused(port.tally().refusedOut, p);
  }

  private boolean refused(AtomicLong count, Packet p) {
    count.getAndIncrement();
    violation.note(KeyViolation.SWITCH_PKEY, p);
    return false;
  }

  private static boolean has(int[] table, int pkey) {
    for (int own : table) {
      if ((own & BASE) == (pkey & BASE) && (own & BASE) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Sends the trap if a packet was noted. */
  void sendTrap() {
    violation.sendTrap(port);
  }
}
