package ib.core.internal.device;

import ib.core.client.DeviceLease;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.internal.hotplug.DeviceEntry;
import ib.core.internal.hotplug.Hotplug;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.MaySleep;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a lock that is held across the registration or removal of a device and that the driver's
 * methods take, too (S30): calls the driver from another thread, as a client's worker would, while
 * the caller waits. When that thread needs a lock of the caller's, neither can ever go on: there is
 * no doubt then. What the methods do not take may be held.
 */
public final class LockCheck {
  /** How long is waited for a call that waits for the caller: not at all, nearly. */
  static final long GRACE_NS = 1_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final List<String> OWNERLESS =
      List.of(
          "java.util.concurrent.Semaphore",
          "java.util.concurrent.locks.ReentrantReadWriteLock",
          "java.util.concurrent.locks.StampedLock");
  private static final Duration STEP = Duration.ofMillis(1);

  private final Thread caller = Thread.currentThread();
  private final Thread other;
  private volatile @Nullable RuntimeException failure;

  /**
   * Begins to call the driver.
   *
   * @param calls what calls it
   */
  LockCheck(Runnable calls) {
    other = Thread.ofPlatform().daemon().name("ib-lock-check").start(() -> run(calls));
  }

  /**
   * Calls a device that is to go from another thread.
   *
   * @param hotplug where the device is
   * @param contract where a violation is reported
   * @param entry the device
   * @param lockNs see {@link #await}
   * @param limitNs see {@link #await}
   */
  @MaySleep
  public static void removal(
      Hotplug hotplug, Contract contract, DeviceEntry entry, long lockNs, long limitNs) {
    DeviceLease lease;
    try {
      lease = hotplug.lease(entry.name(), Contract.CHECK);
    } catch (IbNoDeviceException e) {
      return; // it goes already, and was tried then
    }
    try {
      LockCheck check = new LockCheck(() -> Probe.run(lease.device()));
      String what = "the removal of " + entry.name();
      Violation violation = check.await(entry.info().driver(), what, lockNs, limitNs);
      if (violation != null) {
        contract.report(violation); // that the calls fail is no matter here
      }
    } finally {
      lease.close();
    }
  }

  private void run(Runnable calls) {
    try {
      calls.run();
    } catch (Throwable e) { // the driver's
      String why = "the driver has thrown " + e;
      failure =
          e instanceof RuntimeException r
              ? r
              : IbInvalidException.of("probe", why, "mend the driver", e);
    }
  }

  /** {@return whether the calls have ended} */
  boolean ended() {
    return !other.isAlive();
  }

  /** {@return what the calls threw, when they have ended} */
  @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Waits for the end of the calls, or for the proof that they cannot end before the caller goes
   * on, or until the time is over. An interrupt does not end it.
   *
   * @param driver whose device it is
   * @param what what the caller does, for the report
   * @param lockNs how long calls may wait for a lock whose owner is not known, a semaphore for
   *     example
   * @param limitNs how long calls may take at all
   * @return the violation, when there is one; the calls have not ended then
   */
  @MaySleep
  @Nullable Violation await(String driver, String what, long lockNs, long limitNs) {
    long start = System.nanoTime();
    boolean interrupted = Thread.interrupted();
    Violation found = null;
    boolean ended = false;
    long waited = 0;
    while (!ended && found == null && waited < limitNs) {
      try {
        ended = other.join(STEP);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      waited = System.nanoTime() - start;
      if (!ended) {
        found = look(driver, what, waited > lockNs);
      }
    }
    if (interrupted) {
      caller.interrupt();
    }
    return found;
  }

  private @Nullable Violation look(String driver, String what, boolean late) {
    ThreadInfo info = THREADS.getThreadInfo(other.threadId());
    LockInfo lock = info == null ? null : info.getLockInfo();
    if (info == null || lock == null) {
      return null;
    }
    String type = lock.getClassName();
    boolean mine = info.getLockOwnerId() == caller.threadId();
    if (!mine && !(late && OWNERLESS.stream().anyMatch(type::startsWith))) {
      return null; // what takes long is the watchdog's business
    }
    String text =
        (mine ? "holds " : "does not release ")
            + type
            + ", which a method of the driver takes, across "
            + what
            + ": a client that calls it waits for ever";
    return new Violation("S30", driver, text, Stacks.here(), Stacks.of(other));
  }
}
