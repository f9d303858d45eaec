package ib.engine.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who runs a queue pair (D4). One word: nobody waits, a loser leaves a mark and the holder of the
 * claim runs once more.
 *
 * <p>{@code RUN}: claimed. {@code RERUN}: work came meanwhile. {@code WANTED}: the control path
 * waits for the claim, so runners leave it alone. {@code DEAD}: claimed for good once; what may
 * still be done is throwing packets away.
 */
public final class ClaimToken {
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

  /** Makes a token that nobody holds. */
  public ClaimToken() {}

  /** {@return whether the caller now owns it; when not, nothing was marked} */
  public boolean tryClaim() {
    return STATE.compareAndSet(this, 0, RUN);
  }

  /**
   * Claims it, or makes the holder run once more. Call it after the work was published.
   *
   * @return whether the caller now owns it
   */
  public boolean schedule() {
    for (; ; ) {
      int s = state;
      if ((s & (RUN | WANTED)) == 0) {
        if (STATE.compareAndSet(this, s, s | RUN)) {
          return true;
        }
      } else if (STATE.compareAndSet(
          this, s, s | RERUN)) { // also when set already: it orders our store
        return false;
      }
      Thread.onSpinWait();
    }
  }

  /** {@return whether it is given up; when not, work came and the caller still owns it} */
  public boolean release() {
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
   * Asks runners to leave the token to the caller; one caller at a time (the control path's lock).
   */
  public void want() {
    STATE.getAndBitwiseOr(this, WANTED);
  }

  /** {@return whether the caller that wanted it now owns it} */
  public boolean tryClaimWanted() {
    int s = state;
    return (s & RUN) == 0 && STATE.compareAndSet(this, s, (s | RUN) & ~WANTED);
  }

  /**
   * Stops wanting it; for the caller that wanted it and has waited long enough.
   *
   * @return whether the caller now owns it all the same: work came meanwhile that nobody else will
   *     look at
   */
  public boolean unwant() {
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
   * Marks it dead; for the holder, or for who has waited for the holder in vain: that holder finds
   * it dead when it goes on.
   */
  public void die() {
    STATE.getAndBitwiseOr(this, DEAD);
  }

  /** {@return whether it was claimed for good} */
  public boolean dead() {
    return (state & DEAD) != 0;
  }

  /** {@return whether somebody owns it at this moment} */
  public boolean claimed() {
    return (state & RUN) != 0;
  }
}
