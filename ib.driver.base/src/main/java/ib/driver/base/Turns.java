package ib.driver.base;

import java.util.Collection;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The order in which devices are plugged in when a driver starts: that of their PIDs, in whatever
 * order configurations and threads come. Each waits for those before it, until they are plugged in
 * or have failed, for a while; so one that does not come holds up the others only once.
 */
final class Turns {
  private final long patienceNs;
  private final TreeSet<String> expected = new TreeSet<>(); // under this
  private long endNs; // under this

  /**
   * Nobody is expected.
   *
   * @param patienceNs how long all waits together last, nanoseconds
   */
  Turns(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /** These come. */
  synchronized void expect(Collection<String> pids) {
    expected.addAll(pids);
    endNs = System.nanoTime() + patienceNs;
  }

  /** Waits until nobody before this one is expected any more. */
  synchronized void await(String pid) {
    boolean interrupted = false;
    while (!expected.headSet(pid).isEmpty()) {
      long left = endNs - System.nanoTime();
      if (left <= 0) {
        expected.clear();
      } else {
        try {
          TimeUnit.NANOSECONDS.timedWait(this, left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** This one is there, or will not come. */
  synchronized void over(String pid) {
    if (expected.remove(pid)) {
      notifyAll();
    }
  }

  /** Nobody is expected any more. */
  synchronized void end() {
    expected.clear();
    notifyAll();
  }
}
