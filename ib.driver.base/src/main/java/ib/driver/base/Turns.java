package ib.driver.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Orders the plugging of devices at a driver's start by their PIDs, whatever the order of
 * configurations and threads. Each device waits until those before it are plugged or have failed,
 * but all waits together are bounded; a device that never comes delays the others once. Any thread
 * may call.
 */
final class Turns {
  private final long patienceNs;

  @GuardedBy("this")
  private final TreeSet<String> expected = new TreeSet<>();

  @GuardedBy("this")
  private long endNs;

  /**
   * Creates the order; no device is expected yet.
   *
   * @param patienceNs how long all waits together may last, in nanoseconds
   */
  Turns(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /** Adds devices that are expected. */
  synchronized void expect(Collection<String> pids) {
    expected.addAll(pids);
    endNs = System.nanoTime() + patienceNs;
  }

  /** Waits until no device before this one is expected any more. */
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

  /** Ends the wait for a device that is plugged, has failed or will not come. */
  synchronized void over(String pid) {
    if (expected.remove(pid)) {
      notifyAll();
    }
  }

  /** Ends all waits. */
  synchronized void end() {
    expected.clear();
    notifyAll();
  }
}
