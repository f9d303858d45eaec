package ib.ulp.ipoib.loop;

import ib.core.client.Incidents;
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
 * Tasks, timers and polled work of one interface, run by one thread; it sleeps when there is
 * nothing to do. Tests run it by hand with {@link #turn} and a clock of their own.
 */
public final class Loop implements Executor {
  /** Something that is polled on every turn. */
  public interface Work {
    /** {@return whether there was something to do, so that it is worth to look again} */
    boolean step();

    /** Asks to be woken from now on. {@return whether something has come meanwhile} */
    boolean arm();
  }

  /** How the thread sleeps. */
  public interface Sleeper {
    /** Sleeps until woken, at most so long; may return early. */
    void sleep(long nanos);

    /** Wakes the thread, also when it is only about to sleep; from any context. */
    void wake();
  }

  /** A task for later; only the loop's thread touches it. */
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
  private static final long SLEEP_MOST_NS = 10_000_000_000L;

  private final Incidents incidents =
      new Incidents("an interface", LoggerFactory.getLogger(Loop.class)::warn);
  private final LongSupplier clock;
  private final Sleeper sleeper;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final List<Work> works = new ArrayList<>();
  private final AtomicBoolean asleep = new AtomicBoolean();
  private boolean served;
  private boolean ended;

  /**
   * Makes a loop that nobody runs yet.
   *
   * @param clock nanoseconds
   * @param sleeper how it waits
   */
  public Loop(LongSupplier clock, Sleeper sleeper) {
    this.clock = clock;
    this.sleeper = sleeper;
  }

  /** Runs a task in turn; from any context. */
  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /** Makes the loop look at its work; from any context. */
  public void wake() {
    if (asleep.compareAndSet(true, false)) {
      sleeper.wake();
    }
  }

  /** {@return the time on the loop's clock} */
  public long now() {
    return clock.getAsLong();
  }

  /** Runs a task once, later. On the loop. */
  public Timer after(long nanos, Runnable task) {
    Timer timer = new Timer(now() + nanos, task);
    timers.add(timer);
    return timer;
  }

  /** Adds something to poll. On the loop, or before it runs. */
  public void add(Work work) {
    works.add(work);
  }

  /** Ends {@link #run} after this turn. On the loop. */
  public void end() {
    ended = true;
  }

  /** {@return whether it was ended} */
  public boolean ended() {
    return ended;
  }

  /** {@return how many tasks, timers and steps have thrown something; from any thread} */
  public long failures() {
    return incidents.outlived();
  }

  /** Runs until {@link #end}, whatever is thrown. */
  public void run() {
    served = true;
    while (!ended) {
      if (!turn()) {
        idle();
      }
    }
  }

  /** {@return whether there was something to do} */
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
      return false; // it is armed first, and looked at again when something lies there
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

  /** The interface goes on; who turns the loop by hand hears of an error. */
  private void outlive(Throwable why) {
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
          timers.isEmpty() ? SLEEP_MOST_NS : Math.min(SLEEP_MOST_NS, timers.peek().at - now()));
    }
    asleep.set(false);
  }
}
