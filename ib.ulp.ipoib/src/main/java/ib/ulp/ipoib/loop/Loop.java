package ib.ulp.ipoib.loop;

import ib.core.client.Incidents;
import ib.core.serial.KeptRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks, timers and polled work of one interface on one thread, which sleeps when there is
 * nothing to do. Tests call {@link #turn} instead, with a clock of their own.
 */
public final class Loop implements Executor {
  /** Work that the loop polls on every turn, on its thread. */
  public interface Work {
    /** Does the work that is there, without blocking. {@return whether there was any} */
    boolean step();

    /** Makes new work wake the loop. {@return whether there is work already} */
    boolean arm();
  }

  /** How the loop's thread sleeps and is woken. */
  public interface Sleeper {
    /**
     * Sleeps until {@link #wake}, at most that long; may return early. Called on the loop's thread.
     */
    void sleep(long nanos);

    /** Wakes the thread, also when it is only about to sleep. Any thread may call; never blocks. */
    void wake();
  }

  /** A task for a later time. Used on the loop's thread only. */
  public static final class Timer implements Comparable<Timer> {
    private final long at;
    private final Runnable task;
    private boolean cancelled;

    Timer(long at, Runnable task) {
      this.at = at;
      this.task = task;
    }

    public void cancel() {
      cancelled = true;
    }

    @Override
    public int compareTo(Timer other) {
      return Long.signum(at - other.at);
    }
  }

  private static final int TASKS_PER_TURN = 1024;
  private static final long MAX_SLEEP_NS = 10_000_000_000L;

  private final Incidents incidents =
      new Incidents("an interface", LoggerFactory.getLogger(Loop.class)::warn);
  private final LongSupplier clock;
  private final Sleeper sleeper;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final List<Work> works = new ArrayList<>();
  private final AtomicBoolean asleep = new AtomicBoolean();
  private final KeptRuns kept = new KeptRuns();
  private boolean served;
  private boolean ended;

  /**
   * Creates a loop. The caller starts a thread that calls {@link #run}.
   *
   * @param clock the time in nanoseconds
   * @param sleeper how the thread sleeps
   */
  public Loop(LongSupplier clock, Sleeper sleeper) {
    this.clock = clock;
    this.sleeper = sleeper;
  }

  /** Queues a task for the loop's thread. Any thread may call; never blocks. */
  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /** Makes the loop poll its work. Any thread may call; never blocks. */
  public void wake() {
    if (asleep.get() && asleep.compareAndSet(true, false)) {
      sleeper.wake();
    }
  }

  /**
   * {@return the runs that the loop's thread keeps for itself, when it is asked to; without a
   * thread it keeps none}
   */
  public KeptRuns kept() {
    return kept;
  }

  /** {@return the time of the loop's clock in nanoseconds} */
  public long now() {
    return clock.getAsLong();
  }

  /** Runs a task once, after a time. Call on the loop's thread only. */
  public Timer after(long nanos, Runnable task) {
    Timer timer = new Timer(now() + nanos, task);
    timers.add(timer);
    return timer;
  }

  /** Adds work to poll. Call on the loop's thread, or before it runs. */
  public void add(Work work) {
    works.add(work);
  }

  /** Ends {@link #run} after this turn. Call on the loop's thread only. */
  public void end() {
    ended = true;
  }

  /** {@return whether {@link #end} was called} */
  public boolean ended() {
    return ended;
  }

  /** {@return how many tasks, timers and steps have thrown an exception; any thread may call} */
  public long failures() {
    return incidents.outlived();
  }

  /**
   * Runs the loop until {@link #end}; exceptions of tasks are counted and logged and do not end it.
   */
  public void run() {
    served = true;
    kept.open();
    while (!ended) {
      if (!turn()) {
        idle();
      }
    }
  }

  /**
   * Runs waiting tasks, due timers and a step of each work once. {@return whether there was
   * anything to do}
   */
  public boolean turn() {
    boolean busy = false;
    for (int i = 0; i < TASKS_PER_TURN; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        break;
      }
      busy = true;
      guarded(task);
    }
    while (due()) {
      busy = true;
      guarded(timers.remove().task);
    }
    for (Work work : works) {
      busy |= stepped(work);
    }
    return busy;
  }

  private boolean due() {
    while (!timers.isEmpty() && timers.peek().cancelled) {
      timers.remove();
    }
    return !timers.isEmpty() && timers.peek().at - now() <= 0;
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      outlive(e);
    }
  }

  private boolean stepped(Work work) {
    try {
      return work.step();
    } catch (Throwable e) {
      outlive(e);
      return false; // the loop arms the work before it sleeps, and polls it again if there is any
    }
  }

  private boolean armed(Work work) {
    try {
      return work.arm();
    } catch (Throwable e) {
      outlive(e);
      return false;
    }
  }

  /**
   * Counts and logs what was thrown. A test that calls {@link #turn} itself gets an {@link Error}
   * thrown. Used on the loop's thread only.
   */
  public void outlive(Throwable why) {
    if (why instanceof Error error && !served) {
      throw error;
    }
    incidents.outlived(why);
  }

  private void idle() {
    asleep.set(true);
    boolean something = !tasks.isEmpty();
    for (Work work : works) {
      something |= armed(work);
    }
    if (!something && !due()) {
      sleeper.sleep(
          timers.isEmpty() ? MAX_SLEEP_NS : Math.min(MAX_SLEEP_NS, timers.peek().at - now()));
    }
    asleep.set(false);
  }
}
