package ib.driver.soft.fabric;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that carries the management datagrams that posters have queued at a port, because a
 * thread on the data path must not wait for the fabric's monitor. The thread runs while the fabric
 * has a subnet; an exception does not end the thread.
 */
final class ManagementThread {
  private static final String NAME = "ib-fabric";
  private static final long JOIN_MS = 5_000;

  private final Fabric fabric;
  private final AtomicBoolean pending = new AtomicBoolean();
  private volatile @Nullable Thread thread; // guarded by the fabric for writes

  ManagementThread(Fabric fabric) {
    this.fabric = fabric;
  }

  /** Starts the thread. The caller holds the fabric's monitor. */
  void start() {
    if (thread == null) {
      Thread t = new Thread(this::run, NAME);
      t.setDaemon(true);
      thread = t;
      t.start();
    }
  }

  /** Ends the thread. The caller holds the fabric's monitor, and joins the result without it. */
  @Nullable Thread stop() {
    Thread t = thread;
    thread = null;
    LockSupport.unpark(t);
    return t;
  }

  static void join(@Nullable Thread t) {
    if (t != null && !t.equals(Thread.currentThread())) {
      try {
        t.join(JOIN_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void wake() {
    if (!pending.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (Thread.currentThread().equals(thread)) {
      fabric.incidents().serve(this::turn);
    }
  }

  private void turn() {
    pending.set(false);
    long next = fabric.work();
    if (!pending.get() && Thread.currentThread().equals(thread)) {
      if (next == Long.MAX_VALUE) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, Math.max(1, next - System.nanoTime()));
      }
    }
  }
}
