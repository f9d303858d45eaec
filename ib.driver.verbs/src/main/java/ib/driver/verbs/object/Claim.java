package ib.driver.verbs.object;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time use a structure of the C library, and none after the end. Calls inside
 * are bounded: a post, a poll or an arming of the provider, which has a spinning lock of its own
 * around the same work, so a thread spins here instead of there.
 */
class Claim {
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Claim.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int ENDED = 2;
  private static final int SPINS = 200;

  private volatile int state;

  /** {@return true: the caller has the claim, and leaves; false: it has ended} */
  final boolean enter() {
    for (int spins = 0; ; spins++) {
      if (STATE.compareAndSet(this, FREE, TAKEN)) {
        return true;
      }
      if (state == ENDED) {
        return false;
      }
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // the holder may wait for this processor
      }
    }
  }

  final void leave() {
    STATE.setRelease(this, FREE);
  }

  /** Ends it for good, after the present holder has left. A second call does nothing. */
  final void end() {
    if (enter()) {
      state = ENDED;
    }
  }

  final boolean ended() {
    return state == ENDED;
  }
}
