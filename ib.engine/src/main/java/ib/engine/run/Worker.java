package ib.engine.run;

import ib.core.client.Incidents;
import ib.engine.time.NanoClock;
import ib.engine.time.Timer;
import ib.engine.time.TimerHeap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The device's worker: it runs timers, and queue pairs whose caller had used up its budget (D4).
 * Its own thread runs it ({@link #start}), or the caller of {@link #step} (simulator). The thread
 * sleeps when it has no work.
 */
public final class Worker implements Runnable {
  private static final VarHandle QPS;
  private static final VarHandle TIMERS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      QPS = lookup.findVarHandle(Worker.class, "qps", Claimed.class);
      TIMERS = lookup.findVarHandle(Worker.class, "timers", Timer.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final long PAUSE_NS = 20_000;
  private static final long STOP_NS = 100_000_000;

  private final NanoClock clock;
  private final LookRound round;
  private final RunList run;
  private final TimerHeap heap = new TimerHeap();
  private volatile @Nullable Claimed qps; // a stack, turned round by the worker
  private volatile @Nullable Timer timers; // a stack
  private volatile boolean asleep;
  private volatile boolean purge;
  private volatile boolean stopped;
  private volatile @Nullable Thread thread;
  private final Incidents incidents = new Incidents("worker", line -> {}); // counters tell of it
  private final Runnable turn = this::turn; // made once: a turn allocates nothing
  private volatile Runnable whenFailed = () -> {};

  /**
   * Makes a worker without a thread.
   *
   * @param clock the time
   * @param round what it looks at now and then
   * @param budgetBytes bytes to move before it looks at its timers again
   */
  public Worker(NanoClock clock, LookRound round, int budgetBytes) {
    this.clock = clock;
    this.round = round;
    this.run = new RunList(budgetBytes);
  }

  /** Sets what is done each time a step has thrown; the thread goes on. */
  public void whenFailed(Runnable what) {
    whenFailed = what;
  }

  /** {@return the time} */
  public long now() {
    return clock.nanoTime();
  }

  /** Starts a daemon thread that runs it. */
  public void start(String name) {
    start(Thread.ofPlatform().name(name).daemon().unstarted(this));
  }

  /** Starts the worker on a thread that the caller made with this as its task. */
  void start(Thread t) {
    thread = t;
    t.start();
  }

  /**
   * Ends the thread and waits for it; the queue pairs are dead already.
   *
   * @param end when to give up, in the time of the machine; it always waits a little
   * @return whether it has ended
   */
  public boolean stop(long end) {
    stopped = true;
    wake();
    Thread t = thread;
    boolean interrupted = false;
    while (t != null && t.isAlive()) {
      try {
        long left = Math.max(STOP_NS, end - System.nanoTime());
        if (!t.join(Duration.ofNanos(left))) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true; // it ends as soon as it has seen stopped
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    boolean ended = t == null || !t.isAlive();
    if (ended) {
      thread = null;
    }
    return ended;
  }

  /** {@return what its thread is doing, for a report} */
  public String where() {
    Thread t = thread;
    return t == null ? "" : Holder.at(t.getStackTrace());
  }

  /** Takes over a claimed queue pair; any thread, never blocks. */
  void submit(Claimed qp) {
    Claimed top;
    do {
      top = qps;
      qp.workNext = top;
    } while (!QPS.compareAndSet(this, top, qp));
    wake();
  }

  /**
   * Takes over a timer; any thread, never blocks.
   *
   * @param timer not started at present
   */
  public void start(Timer timer) {
    Timer top;
    do {
      top = timers;
      timer.next = top;
    } while (!TIMERS.compareAndSet(this, top, timer));
    wake();
  }

  /** Forgets the timers of dead queue pairs soon. */
  public void purge() {
    purge = true;
    wake();
  }

  private void wake() {
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  /** Lets a control path caller wait a little for a queue pair to be given up. */
  public void pause(int tries) {
    if (thread == null) {
      synchronized (heap) {
        step(); // without a thread, only this caller runs the worker
      }
      Thread.onSpinWait();
    } else if (tries < 100) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  @Override
  public void run() {
    while (!stopped) {
      if (!incidents.serve(turn)) {
        incidents.outlive(whenFailed);
      }
    }
  }

  /** Does what there is to do, or sleeps until there is something. */
  void turn() {
    if (step() == 0) {
      sleep();
    }
  }

  /** {@return nanoseconds without work, unless another thread wakes the worker} */
  long restNs() {
    long due = heap.earliestNs();
    long most = round.restNs();
    return due == Long.MAX_VALUE ? most : Math.min(most, due - clock.nanoTime());
  }

  private void sleep() {
    asleep = true;
    if (qps == null && timers == null && !purge && !stopped) {
      long left = restNs();
      if (left == Long.MAX_VALUE) {
        LockSupport.park(this);
      } else if (left > 0) {
        LockSupport.parkNanos(this, left);
      }
      if (Thread.interrupted()) {
        purge = true; // an interrupt means nothing here; look round once and sleep again
      }
    }
    asleep = false;
  }

  /**
   * Does what there is to do now; one caller at a time.
   *
   * @return how much was done, 0 for nothing
   */
  public int step() {
    int n = -1;
    try {
      n = claimed();
    } finally {
      if (n != 0) {
        run.finish(); // when a timer throws, those that timers before it have claimed still run
      }
    }
    return n;
  }

  /** Claims for this thread what there is to run; returns how much there was to do. */
  private int claimed() {
    int n = 0;
    round.look(clock.nanoTime());
    if (purge) {
      purge = false;
      heap.purge();
      n++;
    }
    if (timers != null || heap.size() > 0) {
      n += timers();
    }
    Claimed qp = reversed((Claimed) QPS.getAndSet(this, (Claimed) null));
    while (qp != null) {
      Claimed next = qp.workNext;
      qp.workNext = null;
      run.add(qp);
      qp = next;
      n++;
    }
    return n;
  }

  private int timers() {
    long now = clock.nanoTime();
    Timer t = (Timer) TIMERS.getAndSet(this, (Timer) null);
    try {
      while (t != null) {
        if (!t.cancelled()) { // a purge that came first did not see it (B20)
          heap.add(t, now);
        }
        Timer added = t;
        t = t.next;
        added.next = null;
      }
    } finally {
      while (t != null) { // a timer that the heap cannot take does not stop those behind it
        Timer next = t.next;
        start(t);
        t = next;
      }
    }
    return heap.expire(now);
  }

  /** {@return where timers that expire put their queue pairs} */
  public RunList runList() {
    return run;
  }

  /** {@return when the earliest timer is due, Long.MAX_VALUE for never; for the simulator} */
  public long earliestNs() {
    return timers == null ? heap.earliestNs() : clock.nanoTime();
  }

  private static @Nullable Claimed reversed(@Nullable Claimed top) {
    Claimed done = null;
    Claimed qp = top;
    while (qp != null) {
      Claimed below = qp.workNext;
      qp.workNext = done;
      done = qp;
      qp = below;
    }
    return done;
  }
}
