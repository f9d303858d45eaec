package ib.driver.rxe.udp;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that receives for a device. The thread reads every socket in turn, goes on for a while
 * when nothing arrives (busy polling), and then sleeps in the system. While consumer threads spin
 * and receive themselves, this thread leaves the sockets to the consumers. A consumer that polls a
 * few times between two sleeps receives as well, but this thread stays ready to wake it.
 */
abstract class Receiver implements Runnable {
  private static final int FORGET_S = 5;
  private static final long NAP_NS = 1_000_000;
  private static final int MANY_POLLS = 32; // without a rest between: the consumer spins
  final Inbound inbound;
  private final UdpCounters counters;
  private final long busyPollNs;
  private volatile @Nullable CountDownLatch forget;
  private volatile boolean stopped;
  private final AtomicBoolean owned = new AtomicBoolean(); // the receive ring is held by one thread
  private volatile boolean polled; // whether a consumer has polled since the last nap
  private int polls; // since a consumer rested; consumers race here, so the count is not exact
  private volatile boolean asked; // a resting consumer asks for one more look at the sockets
  private volatile boolean napping;
  private volatile boolean sleeping; // or about to sleep
  private volatile @Nullable Thread thread;

  Receiver(Inbound inbound, UdpCounters counters, long busyPollNs) {
    this.inbound = inbound;
    this.counters = counters;
    this.busyPollNs = busyPollNs;
  }

  /**
   * Sets the endpoints to read. {@link #forget} waits until no other one is read any more. The
   * caller holds the wire's monitor.
   */
  abstract void endpoints(Endpoint[] now) throws IOException;

  /**
   * Hands over waiting datagrams, without finishing them. {@return how many} Only the thread that
   * holds the receive ring may call.
   */
  abstract int sweep();

  /** Sleeps until a datagram arrives or {@link #wake} is called. */
  abstract void sleep();

  /** Makes the system release closed sockets. */
  abstract void settle();

  /** Ends a sleep, also one that is about to begin. Any thread may call; does not block. */
  abstract void wake();

  /** Releases the resources of the system; the thread has ended. */
  abstract void release();

  final void start(String name) {
    thread = Thread.ofPlatform().name(name).daemon().start(this);
  }

  @Override
  public final void run() {
    while (!stopped) {
      try {
        turns();
      } catch (Throwable e) { // without the thread the device would receive nothing
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
        continue;
      }
      if (asked) {
        asked = false; // before the look at the sockets, so that a later request causes another one
      }
      if (receive()) {
        idleSince = System.nanoTime();
      } else if (System.nanoTime() - idleSince < busyPollNs) {
        Thread.onSpinWait();
      } else {
        sleeping = true;
        if (!polled && !asked) {
          sleep();
        }
        sleeping = false;
      }
    }
  }

  /**
   * Leaves the sockets to a polling consumer thread for 1 ms. The caller repeats this call as long
   * as a consumer polls.
   */
  private void nap() {
    napping = true;
    polled = false;
    LockSupport.parkNanos(this, NAP_NS);
    napping = false;
    if (Thread.interrupted()) { // clears the interrupt, which would keep the thread from sleeping
      counters.count(UdpCounter.RX_ERROR);
    }
  }

  /**
   * Receives waiting datagrams, unless another thread is receiving. {@return whether there were
   * any}
   */
  private boolean receive() {
    if (!owned.compareAndSet(false, true)) {
      return false;
    }
    try {
      return turn();
    } catch (Throwable e) { // a polling consumer must not get the exception either
      inbound.failed(e);
      return false;
    } finally {
      owned.set(false); // before a poller looks at polled
    }
  }

  /**
   * Hands over the waiting datagrams and finishes the run, also when the sweep throws: the run then
   * gives back the queue pairs that it claimed for the datagrams handed over before (A16).
   */
  private boolean turn() {
    int n = -1;
    try {
      n = sweep();
    } finally {
      if (n != 0) {
        inbound.finish();
      }
    }
    if (n == 0) {
      inbound.catchUp();
    }
    return n != 0;
  }

  /**
   * Receives on the thread of a consumer that polls. Does not block. {@return whether datagrams
   * were received}
   */
  final boolean poll() {
    boolean any = receive();
    if (polled) {
      return any;
    }
    // a consumer that is about to sleep polls a few times as well, and must then be woken at once
    if (any || napping || ++polls >= MANY_POLLS) {
      leaveSockets();
    }
    return any;
  }

  /**
   * Has the device's thread leave the sockets to the calling consumer, and look at them 1 ms after
   * the last poll. The calling consumer has released the receive ring before, so that look finds
   * the ring free and sends the acknowledgements that the consumer's run has held back.
   */
  private void leaveSockets() {
    polls = 0;
    polled = true;
    if (sleeping) {
      sleeping = false;
      wake();
    }
  }

  /**
   * Consumers that polled are about to sleep: the device's thread receives again. That thread may
   * have found the receive ring held by a consumer, and be about to sleep; so it looks once more,
   * for the acknowledgements that the consumer's run has held back. Does not block.
   */
  final void pollersRest() {
    polls = 0;
    if (polled || napping) {
      asked = true; // before polled: the thread sees one of the two before it sleeps
      polled = false;
      LockSupport.unpark(thread);
    }
  }

  /**
   * Waits until no thread uses endpoints that were removed and the system has released closed
   * sockets. Blocks at most 5 s.
   */
  final void forget() {
    CountDownLatch done = new CountDownLatch(1);
    forget = done;
    wake();
    try {
      if (!done.await(FORGET_S, TimeUnit.SECONDS)) {
        counters.count(UdpCounter.RX_ERROR);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the thread will do it soon
    }
    own(); // consumers that poll have seen the change as well
    owned.setRelease(false);
  }

  /** Takes the receive ring, which another thread holds for a moment only. */
  private void own() {
    while (!owned.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
  }

  /** Ends the thread and waits for its end; afterwards no consumer receives either. */
  final void stop() {
    stopped = true;
    wake();
    Thread t = thread;
    boolean interrupted = false;
    while (t != null && t.isAlive()) {
      try {
        t.join();
      } catch (InterruptedException e) {
        interrupted = true; // the thread ends as soon as it sees stopped
      }
    }
    own(); // for good: no thread receives any more
    release();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
