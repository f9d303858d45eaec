package ib.engine.cq;

import ib.engine.run.Worker;
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
   * Creates a moderation that is off.
   *
   * @param worker the worker that runs the timer
   * @param over what the worker calls when the timer expires
   */
  Moderation(Worker worker, Runnable over) {
    super(worker);
    this.over = over;
  }

  /** Sets both limits; fewer than 2 completions or a period of 0 switches moderation off. */
  void set(int completions, int periodUs) {
    periodNs = periodUs * 1000L;
    count = completions < 2 || periodUs == 0 ? 0 : completions;
  }

  /** Counts completions from 0 again, because the consumer has armed the queue. */
  void armed() {
    pending = 0;
  }

  /**
   * Counts a completion that the consumer waits for. If the consumer is not notified of it now, the
   * timer, which runs already or is started here, notifies the consumer when it expires. The timer
   * does not depend on the count, which two consumers that arm at once may set back, so no
   * completion stays without a notification (B7).
   *
   * @return whether the consumer is to be notified now
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
