package ib.core.internal.hotplug;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.Incidents;
import ib.core.internal.hotplug.Sync.Alarm;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The one thread of the watchdog, which starts when there is a first due time. */
final class WatchdogThread implements Alarm {
  private static final long JOIN_MS = 1_000;
  private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1); // after a scan that threw

  private final Incidents incidents =
      new Incidents("ib-watchdog", LoggerFactory.getLogger(WatchdogThread.class)::warn);
  private final LongSupplier clock;
  private final LongUnaryOperator scan;
  private volatile long dueNs = NEVER;
  private volatile boolean stopped;

  @GuardedBy("this")
  private @Nullable Thread thread;

  WatchdogThread(LongSupplier clock, LongUnaryOperator scan) {
    this.clock = clock;
    this.scan = scan;
  }

  @Override
  public synchronized void due(long ns) {
    if (stopped || ns >= dueNs) {
      return; // the thread wakes earlier anyway
    }
    dueNs = ns;
    if (thread == null) {
      thread = new Thread(this::run, "ib-watchdog");
      thread.setDaemon(true);
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void stop() {
    Thread t;
    synchronized (this) {
      stopped = true;
      t = thread;
    }
    if (t == null || t.equals(Thread.currentThread())) {
      return;
    }
    LockSupport.unpark(t);
    try {
      t.join(JOIN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the watchdog's thread ends without this wait
    }
  }

  private void run() {
    while (!stopped) {
      if (!incidents.serve(this::turn)) {
        due(clock.getAsLong() + AGAIN_NS);
      }
    }
  }

  private void turn() {
    long now = clock.getAsLong();
    long due = dueNs;
    if (due == NEVER) {
      LockSupport.park(this);
    } else if (due > now) {
      LockSupport.parkNanos(this, due - now);
    } else {
      synchronized (this) {
        dueNs = NEVER;
      }
      due(Math.max(scan.applyAsLong(now), now + TimeUnit.MILLISECONDS.toNanos(1)));
    }
  }
}
