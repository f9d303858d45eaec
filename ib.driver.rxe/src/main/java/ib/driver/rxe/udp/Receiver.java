package ib.driver.rxe.udp;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that receives for a device: it looks at every socket in turn, goes on looking for a
 * while when there is nothing (busy polling), and then sleeps in the system. While others poll and
 * receive themselves it keeps out of their way.
 */
abstract class Receiver implements Runnable {
  private static final int FORGET_S = 5;
  private static final long NAP_NS = 1_000_000;
  final Inbound inbound;
  private final UdpCounters counters;
  private final long busyPollNs;
  private volatile @Nullable CountDownLatch forget;
  private volatile boolean stopped;
  private final AtomicBoolean owned = new AtomicBoolean(); // sockets and all, by one thread
  private volatile boolean polled; // since the last nap
  private volatile boolean napping;
  private volatile boolean sleeping; // or about to
  private volatile @Nullable Thread thread;

  Receiver(Inbound inbound, UdpCounters counters, long busyPollNs) {
    this.inbound = inbound;
    this.counters = counters;
    this.busyPollNs = busyPollNs;
  }

  /** Looks at these from now on, and soon no more at any other. */
  abstract void endpoints(Endpoint[] now) throws IOException;

  /** Receives what there is; returns how much that was. */
  abstract int sweep();

  /** Waits until there is something, it is woken up, or a while has passed. */
  abstract void sleep();

  /** Lets the system forget closed sockets. */
  abstract void settle();

  /** Ends a sleep, also one that is about to begin. */
  abstract void wake();

  /** Gives back what the system gave; the thread has ended. */
  abstract void release();

  final void start(String name) {
    thread = Thread.ofPlatform().name(name).daemon().start(this);
  }

  @Override
  public final void run() {
    while (!stopped) {
      try {
        turns();
      } catch (Throwable e) { // a device that hears nothing any more is worse
        inbound.failed(e);
        LockSupport.parkNanos(this, NAP_NS);
      }
    }
  }

  private void turns() {
    long idleSince = System.nanoTime();
    while (!stopped) {
      CountDownLatch waiting = forget;
      if (waiting != null) {
        forget = null;
        settle();
        waiting.countDown();
      }
      if (polled) {
        nap();
        idleSince = System.nanoTime();
      } else if (receive()) {
        idleSince = System.nanoTime();
      } else if (System.nanoTime() - idleSince < busyPollNs) {
        Thread.onSpinWait();
      } else {
        sleeping = true;
        if (!polled) {
          sleep();
        }
        sleeping = false;
      }
    }
  }

  /** Somebody polls: he is left alone for a while, and for another if he has gone on. */
  private void nap() {
    napping = true;
    polled = false;
    LockSupport.parkNanos(this, NAP_NS);
    napping = false;
    if (Thread.interrupted()) {
      counters.count(UdpCounter.RX_ERROR); // means nothing here, and would keep it from sleeping
    }
  }

  /**
   * Receives what there is, unless another thread is at it; returns whether there was something.
   */
  private boolean receive() {
    if (!owned.compareAndSet(false, true)) {
      return false;
    }
    try {
      if (sweep() > 0) {
        return true;
      }
      inbound.catchUp();
      return false;
    } catch (Throwable e) { // nor does whoever polls get to see it
      inbound.failed(e);
      return false;
    } finally {
      owned.setRelease(false);
    }
  }

  /** The same for a thread that polls. Never blocks. */
  final boolean poll() {
    if (!polled) {
      polled = true;
      if (sleeping) {
        sleeping = false;
        wake(); // what the poller leaves behind is for the thread, when he goes
      }
    }
    return receive();
  }

  /** Whoever polled will sleep: the thread does it again. Never blocks. */
  final void pollersRest() {
    if (polled || napping) {
      polled = false;
      LockSupport.unpark(thread);
    }
  }

  /** Waits until the thread has seen what was changed, and the system has forgotten as well. */
  final void forget() {
    CountDownLatch done = new CountDownLatch(1);
    forget = done;
    wake();
    try {
      if (!done.await(FORGET_S, TimeUnit.SECONDS)) {
        counters.count(UdpCounter.RX_ERROR);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it happens soon
    }
    own(); // whoever polls has seen it as well
    owned.setRelease(false);
  }

  /** Takes the receive ring; whoever has it gives it back in a moment. */
  private void own() {
    while (!owned.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
  }

  /** Ends the thread and waits for it. */
  final void stop() {
    stopped = true;
    wake();
    Thread t = thread;
    boolean interrupted = false;
    while (t != null && t.isAlive()) {
      try {
        t.join();
      } catch (InterruptedException e) {
        interrupted = true; // it ends as soon as it has seen stopped
      }
    }
    own(); // for good: nobody polls any more
    release();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
