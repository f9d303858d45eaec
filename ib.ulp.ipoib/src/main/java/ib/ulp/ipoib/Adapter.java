package ib.ulp.ipoib;

import ib.core.verbs.IbDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces of one device, closed when the device is removed. The adapter's monitor guards all
 * fields; it is not held while an interface is opened or closed, because both wait for callbacks
 * that may ask for the list. A thread that adds or deletes a child calls {@link #enter} first and
 * {@link #leave} afterwards. {@link #end} lets no thread enter any more and waits for the threads
 * that have entered. Any thread may call.
 */
final class Adapter {
  final IbDevice device;
  private final List<NetDevice> interfaces = new ArrayList<>();
  private int inside;
  private boolean ended;
  private boolean over;

  Adapter(IbDevice device) {
    this.device = device;
  }

  /** {@return the interfaces, parents before their children} */
  synchronized List<NetDevice> interfaces() {
    return List.copyOf(interfaces);
  }

  /**
   * Adds an interface. {@return false if {@link #end} has returned; the caller then closes the
   * interface}
   */
  synchronized boolean add(NetDevice made) {
    return !over && interfaces.add(made);
  }

  synchronized void remove(NetDevice gone) {
    interfaces.remove(gone);
  }

  /**
   * Enters on behalf of an interface, unless {@link #end} has been called.
   *
   * @param take true: the interface must be a child, is removed from the list, and the caller
   *     closes it
   * @return null when no interface has that name or the device is being removed; the caller has not
   *     entered then
   */
  synchronized @Nullable NetDevice enter(String name, boolean take) {
    for (int i = 0; i < interfaces.size() && !ended; i++) {
      NetDevice each = interfaces.get(i);
      if (each.name().equals(name) && (each.child || !take)) {
        inside++;
        return take ? interfaces.remove(i) : each;
      }
    }
    return null;
  }

  /** Ends what a successful {@link #enter} began. */
  synchronized void leave() {
    inside--;
    notifyAll();
  }

  /**
   * Lets no thread enter any more and waits. {@return whether all threads have left within that
   * time}
   */
  synchronized boolean end(Duration within) {
    ended = true;
    boolean interrupted = false;
    long deadline = System.nanoTime() + within.toNanos();
    for (long left = 1; inside > 0 && left > 0; left = deadline - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true; // the wait goes on until its bound
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    over = true;
    return inside == 0;
  }
}
