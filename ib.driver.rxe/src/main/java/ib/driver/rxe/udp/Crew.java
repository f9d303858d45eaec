package ib.driver.rxe.udp;

import ib.core.serial.KeptRuns;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The two threads that receive for a device in turns. One is on duty. It may run the handlers that
 * its datagrams have woken up, between {@link #keep} and {@link #handle}; when they keep it for too
 * long, the other thread has the duty ({@link Relief}), and the handlers that have not begun run on
 * their completion vectors. The second thread starts with the first handler. While it cannot start,
 * or both threads are in handlers, the completion vectors run all handlers.
 */
final class Crew {
  private static final long NAP_NS = 1_000_000;
  private static final long AWAY_NS =
      TimeUnit.SECONDS.toNanos(1); // that the end waits for handlers

  private final Consumer<Hand> duty;
  private final Consumer<Throwable> failed;
  private final Relief relief;
  private final Hand first = new Hand(true);
  private final Hand second = new Hand(false);
  private Hand onDuty = first; // used by the thread on duty
  private volatile @Nullable Thread thread; // on duty
  private volatile boolean stopped;
  private String name = "";

  /** One of the two threads. */
  static final class Hand {
    private final KeptRuns kept = new KeptRuns();
    private boolean duty; // used by the thread itself
    private volatile @Nullable Thread thread;
    private volatile boolean away; // runs handlers

    private Hand(boolean duty) {
      this.duty = duty;
    }

    /** {@return whether the calling thread, whose hand this is, has the duty} */
    boolean isOnDuty() {
      return duty;
    }
  }

  /**
   * A crew whose threads do not run yet.
   *
   * @param duty what the thread on duty does, until the crew is stopped or the hand has lost the
   *     duty
   * @param failed takes what the duty or a handler's surroundings throw
   * @param patienceNs how long handlers may keep the thread on duty, in nanoseconds
   */
  Crew(Consumer<Hand> duty, Consumer<Throwable> failed, long patienceNs) {
    this.duty = duty;
    this.failed = failed;
    this.relief = new Relief(patienceNs);
  }

  /** Starts the first thread, with a body that calls {@link #run}. */
  void start(String threadName, Runnable body) {
    name = threadName;
    Thread t = make(threadName, body);
    begin(t);
    t.start();
  }

  /** Names the first thread, which has the duty. */
  void begin(Thread t) {
    thread = t;
    first.thread = t;
  }

  /** {@return a thread that keeps neither the starting thread's locals nor its class loader} */
  private static Thread make(String name, Runnable body) {
    Thread t =
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .unstarted(body);
    t.setContextClassLoader(KeptRuns.class.getClassLoader());
    return t;
  }

  /** Works on the first thread, until the crew is stopped. */
  void run() {
    work(first);
  }

  private void work(Hand hand) {
    hand.kept.open();
    while (!stopped) {
      try {
        if (hand.duty || relieve(hand)) {
          duty.accept(hand);
        }
      } catch (Throwable e) { // without the thread the device would receive nothing
        failed.accept(e);
        LockSupport.parkNanos(this, NAP_NS);
      }
    }
  }

  /** Waits as the spare; {@return whether the thread has the duty now} */
  private boolean relieve(Hand hand) {
    if (!relief.standBy()) {
      return false;
    }
    hand.duty = true;
    thread = Thread.currentThread();
    Hand before = onDuty;
    onDuty = hand;
    before.kept.giveUp(); // its handler has not returned: the others do not wait for that
    return true;
  }

  /** {@return whether the caller is the thread on duty} */
  boolean isOnDuty() {
    return Thread.currentThread().equals(thread);
  }

  /** Ends the nap of the thread on duty. Any thread may call. */
  void unpark() {
    LockSupport.unpark(thread);
  }

  /**
   * The calling thread, which is on duty, keeps the handlers that it wakes up until {@link
   * #handle}, if a spare can relieve it.
   */
  void keep(Hand hand) {
    if (relief.hasSpare() || second.thread == null) {
      hand.kept.keep();
    }
  }

  /** Runs the handlers that were kept. The calling thread holds nothing, and may lose the duty. */
  void handle(Hand hand) {
    hand.kept.close();
    if (hand.kept.isEmpty()) {
      return;
    }
    if (!relief.hasSpare() && !startSpare()) {
      hand.kept.giveUp();
      return;
    }
    long left = relief.leave();
    hand.away = true;
    try {
      hand.kept.run();
    } catch (Throwable e) { // handlers throw into the core; this is a failure of the core
      failed.accept(e);
      hand.kept.giveUp();
    } finally {
      hand.duty = relief.back(left);
      hand.away = false;
    }
  }

  private boolean startSpare() {
    Thread t = make(name + "-2", () -> work(second));
    relief.spare(t);
    boolean started = false;
    try {
      t.start();
      second.thread = t;
      started = true;
    } catch (Throwable e) { // no memory for a thread: the next handler tries again
      failed.accept(e);
    } finally {
      if (!started) {
        relief.spare(null);
      }
    }
    return started;
  }

  /** Has the threads end; the thread on duty may have to be woken. */
  void stop() {
    stopped = true;
    relief.stop();
  }

  /**
   * Waits until the threads have ended, for one that is in a handler 1 s at most: that thread ends
   * when the handler returns, and uses nothing of the receiver any more.
   *
   * @return whether the caller was interrupted meanwhile
   */
  boolean join() {
    long start = System.nanoTime();
    boolean interrupted = false;
    for (Hand hand : new Hand[] {first, second}) {
      Thread t = hand.thread;
      while (t != null && t.isAlive() && !(hand.away && System.nanoTime() - start > AWAY_NS)) {
        try {
          t.join(1);
        } catch (InterruptedException e) {
          interrupted = true; // the thread ends as soon as it sees stopped
        }
      }
    }
    return interrupted;
  }
}
