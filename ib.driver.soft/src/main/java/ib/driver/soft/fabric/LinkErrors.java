package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.NodePort;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Local link integrity (IBA 7.12.2): a damaged packet counts up, a sound one down; above the
 * threshold of PortInfo (LocalPhyErrors) it is an error of the link, and trap 129, not more often
 * than SubnetTimeout allows. Any thread counts, without waiting; the rest is under the fabric's
 * lock.
 */
final class LinkErrors {
  private static final long TIME_UNIT_NS = 4096;

  private final FabricPort end;
  private final AtomicInteger marginal = new AtomicInteger();
  private volatile int threshold;
  private volatile boolean due;
  private long againNs = System.nanoTime(); // under the fabric's lock

  LinkErrors(FabricPort end) {
    this.end = end;
  }

  /** Takes over what the subnet manager has changed. */
  void settle() {
    threshold = PortInfo.LOCAL_PHY_ERRORS.in(end.place().info());
  }

  /** A packet has come by the cable. */
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

  /** Sends the trap if there is one to send. */
  void tell() {
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
