package ib.engine.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The claim of a queue pair, one atomic word (D4). No data path thread waits for it: a thread that
 * fails to claim sets RERUN, and the holder runs the queue pair once more before it releases the
 * claim.
 *
 * <p>{@code RUN}: a thread holds the claim. {@code RERUN}: work was published while another thread
 * held the claim. {@code WANTED}: a control path thread waits for the claim, so data path threads
 * do not take it. {@code DEAD}: the queue pair is destroyed; a claim holder only drops its packets.
 */
public class ClaimToken {
  private static final int RUN = 1;
  private static final int RERUN = 2;
  private static final int WANTED = 4;
  private static final int DEAD = 8;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(ClaimToken.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state;
  private long holder; // beside the state: who claims writes this line anyway

  /** Makes a token whose claim is free. */
  public ClaimToken() {}

  /** {@return whether the caller now holds the claim; if not, the token is unchanged} */
  public final boolean tryClaim() {
    return STATE.compareAndSet(this, 0, RUN);
  }

  /**
   * Takes the claim, or makes its holder run the queue pair once more. Any thread; call it after
   * the work was published.
   *
   * @return whether the caller now holds the claim
   */
  public final boolean schedule() {
    for (; ; ) {
      int s = state;
      if ((s & (RUN | WANTED)) == 0) {
        if (STATE.compareAndSet(this, s, s | RUN)) {
          return true;
        }
      } else if (STATE.compareAndSet(
          this, s, s | RERUN)) { // also if RERUN is set: the CAS orders our store
        return false;
      }
      Thread.onSpinWait();
    }
  }

  /**
   * {@return whether the claim is released; if not, work was published meanwhile and the caller
   * still holds the claim}
   */
  public final boolean release() {
    if (STATE.compareAndSet(this, RUN, 0)) {
      return true;
    }
    for (; ; ) {
      int s = state;
      boolean again = (s & RERUN) != 0 && (s & WANTED) == 0;
      int to = again ? s & ~RERUN : s & ~RUN;
      if (STATE.compareAndSet(this, s, to)) {
        return !again;
      }
    }
  }

  /**
   * Keeps data path threads from taking the claim, which the caller goes on to ask for.
   *
   * @return whether the caller is the one who may; if not, another control path thread waits for
   *     the claim
   */
  public final boolean want() {
    return ((int) STATE.getAndBitwiseOr(this, WANTED) & WANTED) == 0;
  }

  /** {@return whether the caller of {@link #want} now holds the claim} */
  public final boolean tryClaimWanted() {
    int s = state;
    return (s & RUN) == 0 && STATE.compareAndSet(this, s, (s | RUN) & ~WANTED);
  }

  /**
   * Ends what {@link #want} began; for a caller that stops waiting for the claim.
   *
   * @return whether the caller now holds the claim after all: no other thread will do the work that
   *     was published meanwhile
   */
  public final boolean unwant() {
    for (; ; ) {
      int s = state;
      boolean take = (s & (RUN | RERUN)) == RERUN;
      int to = (take ? s & ~RERUN | RUN : s) & ~WANTED;
      if (STATE.compareAndSet(this, s, to)) {
        return take;
      }
    }
  }

  /**
   * Marks the queue pair as destroyed. For the claim holder, or for a thread whose wait for the
   * holder has timed out: the holder sees the mark when it continues.
   */
  public final void die() {
    STATE.getAndBitwiseOr(this, DEAD);
  }

  /** {@return whether {@link #die} was called} */
  public final boolean dead() {
    return (state & DEAD) != 0;
  }

  /** {@return whether any thread holds the claim at this moment} */
  public final boolean claimed() {
    return (state & RUN) != 0;
  }

  /**
   * Notes who holds the claim, for a report.
   *
   * @param thread number of the thread
   */
  public final void heldBy(long thread) {
    holder = thread;
  }

  /** {@return the number of the thread that claimed it last, roughly; 0 before the first} */
  public final long holder() {
    return holder;
  }
}
