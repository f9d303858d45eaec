package ib.core.internal.callback;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks that run one at a time, on whatever thread, and once more after the last wake-up (S23,
 * S24).
 *
 * <p>One word: a wake-up sets PENDING and CLAIMED in one atomic step; who set CLAIMED puts the task
 * on its queue, once. A run takes PENDING away before it calls (so it sees everything that was
 * written before the wake-ups it answers) and, when PENDING is there again afterwards, queues the
 * task again instead of giving the claim back: other tasks of the thread get their turn. DEAD ends
 * it: nothing is called any more, and the fence waits while RUNNING.
 */
public abstract class CallbackTask {
  private static final int PENDING = 1;
  private static final int CLAIMED = 2;
  private static final int RUNNING = 4;
  private static final int DEAD = 8;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(CallbackTask.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** What became of a call that was to run on the caller's own thread. */
  enum Here {
    /** It ran. */
    RAN,
    /** It will run: it waits in its queue already. */
    QUEUED,
    /** It is running at this moment and will run once more. */
    BUSY,
    /** It is dead. */
    DEAD
  }

  @SuppressWarnings("UnusedVariable") // written through STATE
  private volatile int state;

  private volatile @Nullable Thread runner;

  /** The link of the queue that the task is on; a claimed task is on one queue at the most. */
  @Nullable CallbackTask next;

  /** Nothing to do yet. */
  protected CallbackTask() {}

  /** One run of the callback; must not throw. */
  protected abstract void call();

  /** {@return what the run that is just ending has to tell the caller of {@link #run}} */
  protected int outcome() {
    return 0;
  }

  /** Puts the claimed task on the queue of its thread; never blocks. */
  protected abstract void enqueue();

  /** The claimed task has come to its vector's thread: runs, or goes on to another thread. */
  protected void arrived() {
    run();
  }

  /**
   * Wakes the task up; it will run once, at least, from now on. Never blocks, allocates nothing.
   */
  @AnyContext
  public final void schedule() {
    // an atomic update even when both are set: the run must see what was written before this (E2)
    int before = (int) STATE.getAndBitwiseOr(this, PENDING | CLAIMED);
    if ((before & (CLAIMED | DEAD)) == 0) {
      enqueue();
    }
  }

  /** Runs on the calling thread if nobody else has the task. */
  final Here runHere() {
    int before = (int) STATE.getAndBitwiseOr(this, PENDING | CLAIMED);
    if ((before & DEAD) != 0) {
      return Here.DEAD;
    }
    if ((before & CLAIMED) == 0) {
      run();
      return Here.RAN;
    }
    return (before & RUNNING) != 0 ? Here.BUSY : Here.QUEUED;
  }

  /** {@return whether the caller has the claim now, which it uses with {@link #run}} */
  final boolean claim() {
    return STATE.compareAndSet(this, 0, CLAIMED);
  }

  /** For a run in progress: asks for another one. */
  protected final void again() {
    STATE.getAndBitwiseOr(this, PENDING);
  }

  /** Runs the claimed task once; {@return the outcome of the run, 0 when it is dead} */
  final int run() {
    if (!begin()) {
      return 0;
    }
    runner = Thread.currentThread();
    int outcome = 0;
    try {
      call();
      outcome = outcome();
    } finally {
      runner = null;
      if (end()) {
        enqueue();
      }
    }
    return outcome;
  }

  private boolean begin() {
    for (; ; ) {
      int s = state;
      if ((s & DEAD) != 0) {
        return false;
      }
      if (STATE.compareAndSet(this, s, (s & ~PENDING) | RUNNING)) {
        return true;
      }
    }
  }

  /** Gives the claim back, or keeps it for another run. */
  private boolean end() {
    for (; ; ) {
      int s = state;
      boolean more = (s & (PENDING | DEAD)) == PENDING;
      int after = more || (s & DEAD) != 0 ? s & ~RUNNING : 0;
      if (STATE.compareAndSet(this, s, after)) {
        return more;
      }
    }
  }

  /** {@return the thread that runs the callback at this moment} */
  @AnyContext
  public final @Nullable Thread runner() {
    return runner;
  }

  /** {@return whether the caller is inside the callback} */
  @AnyContext
  public final boolean isInside() {
    return Thread.currentThread().equals(runner);
  }

  /** From now on nothing is called any more; does not wait for a call in progress. */
  @AnyContext
  public final void kill() {
    STATE.getAndBitwiseOr(this, DEAD);
  }

  /** {@return whether it was killed} */
  @AnyContext
  public final boolean isDead() {
    return (state & DEAD) != 0;
  }

  /**
   * Kills the task and waits until a call in progress has returned; however the wait ends, nothing
   * runs after that call.
   *
   * @param waits who waits for whom
   * @param rank when the wait is given up
   * @param what whose callback it is, for reports
   * @param limitNs how long at the most
   * @return how the wait ended
   */
  @MaySleep
  @Fence
  public final End fence(Waits waits, Waits.Rank rank, String what, long limitNs) {
    kill();
    if ((state & RUNNING) == 0) {
      return End.DONE;
    }
    return waits.await(lastRun(what), rank, limitNs);
  }

  /**
   * The last run of a killed task.
   *
   * @param what whose callback it is, for reports
   * @return over when the run has ended
   */
  @AnyContext
  public final Waits.Target lastRun(String what) {
    return new LastRun(this, what);
  }

  private record LastRun(CallbackTask task, String what) implements Waits.Target {
    @Override
    public boolean over() {
      return (task.state & RUNNING) == 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = task.runner; // no run begins after this one: whoever is here is its runner
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the callback of " + what;
    }
  }
}
