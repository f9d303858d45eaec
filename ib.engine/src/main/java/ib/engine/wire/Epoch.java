package ib.engine.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the changes of one medium and of the ports on it, after which the answer to "is there an
 * undisturbed way without packets, and where does it lead" may be another one: captures, faults,
 * routes, MTUs, LIDs, P_Keys, port states, muted sources, queue pairs that were modified; the begin
 * of a disturbance as well as its end. Who makes such a change counts it after the change. Who asks
 * reads the count first and keeps it with the answer. So an answer holds as long as its count is
 * still the present one. Any thread may call; no call waits.
 */
public final class Epoch {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(Epoch.class, "count", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int count;

  /** Makes the count of a medium. */
  public Epoch() {}

  /** {@return the present count} */
  public int now() {
    return count;
  }

  /** Counts a change, which has been made before. */
  public void changed() {
    COUNT.getAndAdd(this, 1);
  }
}
