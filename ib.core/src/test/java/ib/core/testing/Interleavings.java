package ib.core.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs a small scenario under every schedule with at most so many preemptions, depth first. The
 * scenario's classes are woven ({@link Weaver}): they stop before every access to shared state, so
 * the code explored is the product's own. What is explored are interleavings; that the accesses are
 * ordered at all (release, acquire) is argued where they are written.
 */
public final class Interleavings {
  private static final int MAX_STEPS = 5_000;
  private static final ThreadLocal<Task> TASK = new ThreadLocal<>();
  private static final ThreadLocal<Interleavings> SETUP = new ThreadLocal<>();

  /** The code that is explored; a new object for every schedule. */
  public interface Scenario {
    /** Makes the objects and spawns the threads. */
    void setUp();

    /** All threads have ended, or only daemons wait: checks. */
    void check();
  }

  /**
   * How an exploration ended.
   *
   * @param schedules how many were run
   * @param failure the first that failed, with its schedule, or null
   */
  public record Result(int schedules, @Nullable String failure) {}

  private static final class Stop extends Error {
    private static final long serialVersionUID = 1;

    Stop() {
      super("the schedule is over", null, false, false);
    }
  }

  private final int preemptionsMost;
  private final List<Task> tasks = new ArrayList<>();
  private final List<Integer> chosen = new ArrayList<>();
  private final List<Integer> options = new ArrayList<>();
  private final StringBuilder trace = new StringBuilder();
  private final ExploredThreads threads = new ExploredThreads();
  private final List<Integer> prefix;
  private int preemptions;
  private int alone; // looks of the last thread that can do anything
  private boolean over; // no thread has the turn any more
  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;

  private Interleavings(int preemptionsMost, List<Integer> prefix) {
    this.preemptionsMost = preemptionsMost;
    this.prefix = prefix;
  }

  /**
   * Explores.
   *
   * @param scenario a public class with a public constructor without parameters
   * @param preemptions how often a thread may lose its turn without having to
   * @return how many schedules were run, up to the first failure
   */
  public static Result explore(Class<? extends Scenario> scenario, int preemptions) {
    return explore(scenario, preemptions, Weave.CORE);
  }

  /**
   * Explores.
   *
   * @param scenario a public class with a public constructor for the arguments
   * @param preemptions how often a thread may lose its turn without having to
   * @param weave what is explored
   * @param arguments of the constructor
   * @return how many schedules were run, up to the first failure
   */
  public static Result explore(
      Class<? extends Scenario> scenario, int preemptions, Weave weave, String... arguments) {
    Weaver weaver = new Weaver(weave);
    List<Integer> prefix = List.of();
    for (int schedules = 1; ; schedules++) {
      Interleavings run = new Interleavings(preemptions, prefix);
      String failed = run.once(weaver.scenario(scenario, arguments));
      if (failed != null) {
        return new Result(schedules, failed);
      }
      prefix = run.nextPrefix();
      if (prefix.isEmpty()) {
        weaver.checkPlanted();
        return new Result(schedules, null);
      }
    }
  }

  private @Nullable String once(Scenario scenario) {
    SETUP.set(this);
    scenario.setUp();
    SETUP.remove();
    for (Task t : tasks) {
      if (t.thread.getState() == Thread.State.NEW) {
        t.thread.start();
      }
    }
    pass(choose(null));
    threads.runUntil(() -> over);
    stopping = true;
    for (Task t : tasks) {
      t.go.release();
    }
    threads.runUntil(
        () -> tasks.stream().allMatch(t -> t.thread.getState() == Thread.State.TERMINATED));
    if (failure == null && tasks.stream().anyMatch(t -> t.blockedAtEnd && !t.daemon)) {
      failure = new AssertionError("a thread waits for ever");
    }
    try {
      if (failure == null) {
        scenario.check();
      }
    } catch (Throwable e) {
      failure = e;
    }
    return failure == null ? null : failure + " after" + trace;
  }

  private void pass(@Nullable Task next) {
    if (next == null) {
      over = true;
    } else {
      next.go.release();
    }
  }

  private List<Integer> nextPrefix() {
    for (int i = chosen.size() - 1; i >= 0; i--) {
      if (chosen.get(i) + 1 < options.get(i)) {
        List<Integer> next = new ArrayList<>(chosen.subList(0, i));
        next.add(chosen.get(i) + 1);
        return next;
      }
    }
    return List.of();
  }

  /**
   * For scenarios: a thread, which begins when the schedule says so.
   *
   * @param name for the trace
   * @param daemon whether it may wait for ever
   * @param body what it does
   * @return the thread
   */
  public static Thread spawn(String name, boolean daemon, Runnable body) {
    return spawn(name, daemon, false, body);
  }

  /**
   * For scenarios: a thread that begins when it is unparked for the first time, if ever.
   *
   * @param name for the trace
   * @param body what it does
   * @return the thread
   */
  public static Thread sleeper(String name, Runnable body) {
    return spawn(name, true, true, body);
  }

  private static Thread spawn(String name, boolean daemon, boolean asleep, Runnable body) {
    Interleavings run = SETUP.get();
    Task task = run.new Task(name, daemon, body);
    task.blocked = asleep;
    run.tasks.add(task);
    return task.thread;
  }

  /**
   * For scenarios: the schedule has failed; throwing might end in a catch of the product's.
   *
   * @param what went wrong
   */
  public static void fail(String what) {
    AssertionError e = new AssertionError(what);
    Task t = TASK.get();
    if (t != null && t.run().failure == null) {
      t.run().failure = e;
    }
    throw e;
  }

  // ---- called by woven code ----

  /** Another thread may come first. */
  public static void step() {
    Task t = TASK.get();
    if (t != null) {
      t.point(false);
    }
  }

  /** Nothing to do here before another thread has done something. */
  public static void spin() {
    Task t = TASK.get();
    if (t != null) {
      t.point(true);
    }
  }

  /**
   * In place of {@code LockSupport.park}.
   *
   * @param blocker ignored
   */
  public static void park(Object blocker) {
    Task t = TASK.get();
    if (t != null) {
      t.point(false);
      t.block();
    }
  }

  /**
   * In place of {@code LockSupport.parkNanos} with a blocker: a long sleep, ended by an unpark.
   *
   * @param blocker ignored
   * @param nanos ignored: time stands still
   */
  public static void parkNanos(Object blocker, long nanos) {
    park(blocker);
  }

  /**
   * In place of {@code LockSupport.parkNanos}: a short one, between two looks.
   *
   * @param nanos ignored
   */
  public static void parkNanos(long nanos) {
    spin();
  }

  /**
   * In place of {@code ReentrantLock.lock}: another thread may come first, and while another one
   * has the lock there is nothing to do here.
   *
   * @param lock which
   */
  public static void lock(ReentrantLock lock) {
    step();
    while (!lock.tryLock()) {
      spin();
    }
  }

  /**
   * In place of {@code LockSupport.unpark}.
   *
   * @param thread whom to wake
   */
  public static void unpark(@Nullable Thread thread) {
    Task self = TASK.get();
    if (self == null || thread == null) {
      return;
    }
    self.point(false);
    for (Task t : self.run().tasks) {
      if (t.thread.equals(thread)) {
        t.permit = true;
        t.blocked = false;
      }
    }
  }

  // ---- the schedule; only the thread that has the turn is here ----

  private @Nullable Task choose(@Nullable Task current) {
    List<Task> enabled = new ArrayList<>();
    boolean staying = current != null && current.enabled() && !current.yields;
    if (staying) {
      enabled.add(current);
    }
    if (!staying || preemptions < preemptionsMost) {
      for (Task t : tasks) {
        if (t != current && t.enabled()) {
          enabled.add(t);
        }
      }
    }
    if (enabled.isEmpty()) {
      if (++alone > MAX_STEPS && failure == null) {
        failure = new AssertionError("no thread is left to end what a thread waits for");
      }
      return current != null && current.enabled() && failure == null ? current : null;
    }
    int depth = chosen.size();
    int pick = depth < prefix.size() ? prefix.get(depth) : 0;
    chosen.add(pick);
    options.add(enabled.size());
    Task next = enabled.get(pick);
    if (staying && next != current) {
      preemptions++;
    }
    if (next != current) {
      trace.append(' ').append(next.name);
    }
    if (depth > MAX_STEPS && failure == null) {
      failure = new AssertionError("no end after " + MAX_STEPS + " steps");
    }
    return failure == null ? next : null;
  }

  private final class Task {
    private final String name;
    private final boolean daemon;
    private final Thread thread;
    private final Semaphore go = new Semaphore(0);
    private boolean done;
    private boolean blocked;
    private boolean permit;
    private boolean yields;
    private boolean blockedAtEnd;

    Task(String name, boolean daemon, Runnable body) {
      this.name = name;
      this.daemon = daemon;
      this.thread = threads.create(name, () -> live(body));
    }

    Interleavings run() {
      return Interleavings.this;
    }

    boolean enabled() {
      return !done && !blocked;
    }

    private void live(Runnable body) {
      TASK.set(this);
      try {
        waitForTurn();
        body.run();
      } catch (Stop over) {
        return;
      } catch (Throwable e) {
        failure = failure == null ? e : failure;
      }
      done = true;
      if (!stopping) {
        pass(failure == null ? choose(this) : null);
      }
    }

    void point(boolean yielding) {
      if (stopping) {
        throw new Stop();
      }
      yields = yielding;
      Task next = choose(this);
      yields = false;
      if (next != this) {
        pass(next);
        waitForTurn();
      }
    }

    void block() {
      if (permit) {
        permit = false;
        return;
      }
      blocked = true;
      pass(choose(this));
      waitForTurn();
      permit = false;
    }

    private void waitForTurn() {
      go.acquireUninterruptibly();
      if (stopping) {
        blockedAtEnd = blocked;
        throw new Stop();
      }
    }
  }
}
