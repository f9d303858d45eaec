package ib.driver.soft.fabric;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that carries management datagrams which posters have left at a port, since nothing on
 * the data path may wait for the fabric's lock. It lives while there is a subnet, whatever a turn
 * of it throws.
 */
final class ManagementThread {
  private static final String NAME = "ib-fabric";
  private static final long JOIN_MS = 5_000;

  private final Fabric fabric;
  private final AtomicBoolean pending = new AtomicBoolean();
  private volatile @Nullable Thread thread; // written under the fabric

  ManagementThread(Fabric fabric) {
    this.fabric = fabric;
  }

  /** Under the fabric's lock. */
  void start() {
    if (thread == null) {
      Thread t = new Thread(this::run, NAME);
      t.setDaemon(true);
      thread = t;
      t.start();
    }
  }

  /** Under the fabric's lock; returns what is to be joined without it. */
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
