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
 *
 * <p>A consumer may poll for a completion and then wait for something else, for example for a WRITE
 * of the peer in its memory. It says nothing when it leaves, and datagrams wait until this thread
 * looks, 1 ms after the last poll. When this thread finds some then, it doubts the consumers: it
 * receives itself for 2 ms, for 4 when that happens again, and so on up to 256. When consumers have
 * polled through 16 naps since, it begins with 2 ms again.
 *
 * <p>The handlers of completions that packets cause run on this thread too, from a sleep on as long
 * as few packets come at a time: another thread would have to be woken for them. While many come,
 * the completion vectors run the handlers, beside this thread. Two threads take turns for that
 * ({@link Crew}): one is on duty, alone may sleep at the sockets, and owns what {@link #sleep} and
 * {@link #settle} use; the spare takes the duty over when handlers keep the other one longer than 1
 * ms. The receive ring, with all that {@link #sweep} uses, is a thing of its own, which the thread
 * on duty and consumers own for one receive each ({@code owned}). A thread gives the ring back
 * before it runs handlers, and holds no lock then, so a handler may call every verb that handlers
 * may call. {@link #forget} and {@link #stop} are the fences: they wait for the thread on duty and
 * for the ring, and not for handlers; those are fenced by the core, with their completion queues.
 */
abstract class Receiver implements Runnable {
  private static final int FORGET_S = 5;
  private static final long NAP_NS = 1_000_000;
  private static final int MAX_CALM = 4; // packets in one receive
  private static final long PATIENCE_NS = 1_000_000; // with handlers on the thread on duty
  private static final int MANY_POLLS = 32; // without a rest between: the consumer spins
  private static final int MANY_NAPS = 16; // in which consumers polled: no doubt is left
  private static final int MAX_DOUBT = 8; // 256 ms
  private static final int MANY_EMPTY = 64; // looks at the sockets, about 25 us
  private static final int PAUSE_SHIFT = 4; // a pause is a sixteenth of the silence
  private static final long MAX_PAUSE_NS = 2_000;
  final Inbound inbound;
  private final UdpCounters counters;
  private final long busyPollNs;
  private volatile @Nullable CountDownLatch forget;
  private volatile boolean stopped;
  private final AtomicBoolean owned = new AtomicBoolean(); // the receive ring is held by one thread
  private volatile boolean polled; // whether a consumer has polled since the last nap
  private int polls; // since a consumer rested; consumers race here, so the count is not exact

  /**
   * Looks at the sockets since the last datagram in either direction. This and the next two are
   * written by the thread that has the ring and read by all pollers: a race costs one look.
   */
  private int empty;

  private long silentNs;
  private long lookedNs;
  private volatile boolean asked; // a resting consumer asks for one more look at the sockets
  private volatile boolean napping;
  private volatile boolean sleeping; // or about to sleep
  private volatile boolean doubtful; // the thread on duty receives, also while consumers poll

  /**
   * How often the time of doubt was doubled. Only the thread on duty uses this and the next two.
   */
  private int doubt;

  private long doubtUntil;
  private int goodNaps; // since the last doubt: naps in which consumers polled

  final Crew crew;

  Receiver(Inbound inbound, UdpCounters counters, long busyPollNs) {
    this.inbound = inbound;
    this.crew = new Crew(this::turns, inbound::failed, PATIENCE_NS);
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
    crew.start(name, this);
  }

  @Override
  public final void run() {
    crew.run();
  }

  private void turns(Crew.Hand hand) {
    long idleSince = System.nanoTime();
    boolean calm = false; // few packets come, so handlers do not keep the others waiting
    boolean left = false; // consumers polled before the last nap and not in it
    while (!stopped && hand.isOnDuty()) {
      CountDownLatch waiting = forget;
      if (waiting != null) {
        forget = null;
        settle();
        waiting.countDown();
      }
      if (polled) {
        left = nap();
        idleSince = System.nanoTime();
        calm = false;
        continue;
      }
      if (asked) {
        asked = false; // before the look at the sockets, so that a later request causes another one
      }
      int packets = calm ? receiveAndHandle(hand) : receive();
      calm &= packets <= MAX_CALM;
      if (left && packets > 0) {
        doubt();
      } else if (doubtful && isDoubtOver()) {
        doubtful = false;
      }
      left = false;
      if (packets > 0) {
        idleSince = System.nanoTime();
      } else if (System.nanoTime() - idleSince < busyPollNs) {
        Thread.onSpinWait();
      } else {
        sleeping = true;
        if (!polled && !asked) {
          sleep();
          calm = true;
        }
        sleeping = false;
      }
    }
  }

  /** Receives, and then runs the handlers of what has completed. {@return as {@link #receive}} */
  private int receiveAndHandle(Crew.Hand hand) {
    crew.keep(hand);
    try {
      return receive();
    } finally {
      crew.handle(hand);
    }
  }

  /**
   * Leaves the sockets to a polling consumer thread for 1 ms. The caller repeats this call as long
   * as a consumer polls. {@return whether consumers have left without a word}
   */
  private boolean nap() {
    napping = true;
    polled = false;
    LockSupport.parkNanos(this, NAP_NS);
    napping = false;
    if (Thread.interrupted()) { // clears the interrupt, which would keep the thread from sleeping
      counters.count(UdpCounter.RX_ERROR);
    }
    if (polled && doubt > 0 && ++goodNaps == MANY_NAPS) {
      doubt = 0;
    }
    return !polled && !asked;
  }

  /**
   * Datagrams have waited, because consumers that polled have left. Only the thread on duty may
   * call.
   */
  final void doubt() {
    counters.count(UdpCounter.RX_LATE);
    goodNaps = 0;
    doubt = Math.min(doubt + 1, MAX_DOUBT);
    doubtUntil = System.nanoTime() + (NAP_NS << doubt);
    doubtful = true;
  }

  /** {@return whether consumers that poll may have the sockets again} */
  boolean isDoubtOver() {
    return System.nanoTime() - doubtUntil >= 0;
  }

  /**
   * Receives waiting datagrams, unless another thread is receiving. {@return the number of packets}
   */
  private int receive() {
    if (!owned.compareAndSet(false, true)) {
      return 0;
    }
    try {
      int packets = turn();
      if (packets > 0) {
        empty = 0;
      } else if (empty == MANY_EMPTY) {
        lookedNs = System.nanoTime();
      } else if (++empty == MANY_EMPTY) {
        silentNs = System.nanoTime();
        lookedNs = silentNs;
      }
      return packets;
    } catch (Throwable e) { // a polling consumer must not get the exception either
      inbound.failed(e);
      return 0;
    } finally {
      owned.set(false); // before a poller looks at polled
    }
  }

  /**
   * Hands over the waiting datagrams and finishes the run, also when the sweep throws: the run then
   * gives back the queue pairs that it claimed for the datagrams handed over before (A16).
   */
  private int turn() {
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
    return n == 0 ? 0 : Math.max(1, inbound.taken()); // also after an error
  }

  /**
   * Receives on the thread of a consumer that polls. Does not block. A look at the sockets is a
   * system call, which takes as long as ten polls; when the sockets have been silent, polls pause
   * with that, for a sixteenth of the silence and 2 us at most, so that what arrives from this JVM
   * meanwhile is found sooner. {@return whether datagrams were received}
   */
  final boolean poll() {
    boolean paused = empty == MANY_EMPTY && isPause();
    boolean any = !paused && receive() > 0;
    if (polled || crew.isOnDuty()) { // or a handler on the thread on duty
      return any;
    }
    // a consumer that is about to sleep polls a few times as well, and must then be woken at once
    if (doubtful) {
      if (any) {
        askForLook();
      }
    } else if (any || napping || ++polls >= MANY_POLLS) {
      leaveSockets();
    }
    return any;
  }

  private boolean isPause() {
    long pause = Math.min(lookedNs - silentNs >> PAUSE_SHIFT, MAX_PAUSE_NS);
    return System.nanoTime() - lookedNs < pause;
  }

  /** A datagram was sent, so an answer may come soon. Any thread may call. */
  final void sent() {
    if (empty > 0) {
      empty = 0;
    }
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
   * Has the device's thread look at the sockets once more, and so send the acknowledgements that
   * the calling consumer's run has held back. The consumer has released the receive ring before.
   */
  private void askForLook() {
    asked = true; // before the thread is looked at, which looks at this before it sleeps
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
      crew.unpark();
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

  /**
   * Ends the threads and waits for their end, 1 s at most for one that is in a handler; afterwards
   * no consumer receives either.
   */
  final void stop() {
    stopped = true;
    crew.stop();
    wake();
    boolean interrupted = crew.join();
    own(); // for good: no thread receives any more
    release();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
