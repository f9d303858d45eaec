package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.NodePort;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Local link integrity (IBA 7.12.2): a damaged packet adds one, a sound packet takes one away. A
 * value above the threshold of PortInfo (LocalPhyErrors) is an error of the link and causes trap
 * 129, not more often than SubnetTimeout allows. Any thread may call {@link #passed}, which does
 * not wait; the rest is guarded by the fabric's monitor.
 */
final class LinkErrors {
  private static final long TIME_UNIT_NS = 4096;

  private final FabricPort end;
  private final AtomicInteger marginal = new AtomicInteger();
  private volatile int threshold;
  private volatile boolean due;
  private long againNs = System.nanoTime(); // guarded by the fabric's monitor

  LinkErrors(FabricPort end) {
    this.end = end;
  }

  /** Adopts the threshold and the time that the subnet manager has set. */
  void settle() {
    threshold = PortInfo.LOCAL_PHY_ERRORS.in(end.place().info());
  }

  /** Counts a packet that has passed the cable. */
  void passed(boolean damaged) {
    if (damaged) {
      if (marginal.incrementAndGet() > threshold) {
        marginal.set(0);
        end.place().tally().integrity.getAndIncrement();
        due = true;
        end.subnet().left(end);
      }
    } else if (marginal.get() > 0) {
      marginal.getAndDecrement();
    }
  }

  /** Sends the trap if the link had an error. */
  void sendTrap() {
    if (!due) {
      return;
    }
    due = false;
    long now = System.nanoTime();
    if (now - againNs < 0) {
      return;
    }
    NodePort place = end.place();
    againNs = now + (TIME_UNIT_NS << PortInfo.SUBNET_TIMEOUT.in(place.info()));
    end.subnet().trap(place.node().managed(place), Trap.integrity(place));
  }
}
