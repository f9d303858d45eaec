package ib.engine.qp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Fewer calls of a completion handler: one for so many completions or so much time, whichever is
 * first (as {@code ib_modify_cq}). One timer for a call, not for a completion: the first completion
 * that waits starts it. Data path, any thread.
 */
final class Moderation extends CqTimer {
  private static final VarHandle PENDING;

  static {
    try {
      PENDING = MethodHandles.lookup().findVarHandle(Moderation.class, "pending", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Runnable over;
  private volatile int count; // 0: off
  private volatile long periodNs;

  @SuppressWarnings("UnusedVariable") // read by PENDING
  private volatile int pending; // completions since the queue was armed, about

  /**
   * Makes one that is off.
   *
   * @param worker who has the timer
   * @param over called when the time is over, by the worker
   */
  Moderation(Worker worker, Runnable over) {
    super(worker);
    this.over = over;
  }

  /** Sets both; off with less than 2 completions, or no time to wait. */
  void set(int completions, int periodUs) {
    periodNs = periodUs * 1000L;
    count = completions < 2 || periodUs == 0 ? 0 : completions;
  }

  /** The queue is armed: what comes now counts. */
  void armed() {
    pending = 0;
  }

  /**
   * A completion has come that the consumer waits for. Who is not told of it now is told when the
   * timer is over: it runs, or is started here. That does not hang on the count, which two
   * consumers that arm at once may set back; so none is slept through (B7).
   *
   * @return whether the consumer is told now
   */
  boolean due() {
    int most = count;
    if (most == 0 || (int) PENDING.getAndAdd(this, 1) + 1 >= most) {
      return true;
    }
    start();
    return false;
  }

  @Override
  protected long durationNs() {
    return periodNs;
  }

  @Override
  void over() {
    over.run();
  }
}
