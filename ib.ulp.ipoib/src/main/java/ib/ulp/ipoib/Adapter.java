package ib.ulp.ipoib;

import ib.core.verbs.IbDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces of one device: what is to go when it goes. The list is guarded by the adapter's
 * monitor; interfaces are made and taken away outside of it, since both wait for callbacks, which
 * may ask for the list. Who makes or takes away a child enters first and leaves afterwards; the end
 * of the device lets nobody enter any more and waits for those who are inside.
 */
final class Adapter {
  private final IbDevice device;
  private final List<NetDevice> interfaces = new ArrayList<>();
  private int inside;
  private boolean ended;
  private boolean over;

  Adapter(IbDevice device) {
    this.device = device;
  }

  IbDevice device() {
    return device;
  }

  /** {@return those that there are, parents before their children} */
  synchronized List<NetDevice> interfaces() {
    return List.copyOf(interfaces);
  }

  /** Adds one. {@return false when it comes too late: then the caller takes it away} */
  synchronized boolean add(NetDevice made) {
    return !over && interfaces.add(made);
  }

  synchronized void remove(NetDevice gone) {
    interfaces.remove(gone);
  }

  /**
   * Enters for an interface.
   *
   * @param take whether it is a child that the caller takes off the list, and away
   * @return null when there is none of that name, or the device goes: the caller is not inside
   */
  synchronized @Nullable NetDevice enter(String name, boolean take) {
    for (int i = 0; i < interfaces.size() && !ended; i++) {
      NetDevice each = interfaces.get(i);
      if (each.name().equals(name) && (each.child() || !take)) {
        inside++;
        return take ? interfaces.remove(i) : each;
      }
    }
    return null;
  }

  /** Is inside no more. */
  synchronized void leave() {
    inside--;
    notifyAll();
  }

  /** Lets nobody enter any more. {@return whether all have left within that time} */
  synchronized boolean end(Duration within) {
    ended = true;
    boolean interrupted = false;
    long deadline = System.nanoTime() + within.toNanos();
    for (long left = 1; inside > 0 && left > 0; left = deadline - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true; // the bound holds all the same
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    over = true;
    return inside == 0;
  }
}
