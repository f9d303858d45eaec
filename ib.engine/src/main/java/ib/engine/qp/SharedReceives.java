package ib.engine.qp;

import ib.engine.ring.HeldReceive;
import ib.engine.ring.ReceiveRing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The receives that several queue pairs take from one ring. Any thread may call. */
public final class SharedReceives {
  private static final VarHandle LIMIT;

  static {
    try {
      LIMIT = MethodHandles.lookup().findVarHandle(SharedReceives.class, "limit", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile ReceiveRing ring;
  private final Runnable few;
  private volatile int limit;

  /**
   * Makes an empty ring.
   *
   * @param ring its receives
   * @param limit {@code few} is run once when fewer are left; 0 for never
   * @param few never waits
   */
  public SharedReceives(ReceiveRing ring, int limit, Runnable few) {
    this.ring = ring;
    this.limit = limit;
    this.few = few;
  }

  public ReceiveRing ring() {
    return ring;
  }

  /** Refuses all later receives and lets go of those that are there. */
  public void close() {
    ring.seal(); // first: with too little memory no more than that happens
    ring = new ReceiveRing(ring);
  }

  /** {@return the limit, 0 after it was reached} */
  public int limit() {
    return limit;
  }

  /** Sets the limit, which counts once. */
  public void limit(int value) {
    limit = value;
  }

  /** Takes a receive; tells once when fewer are left than the limit (IBA 10.2.9.3). */
  boolean take(HeldReceive into) {
    ReceiveRing ring = this.ring;
    if (!ring.take(into)) {
      return false;
    }
    int l = limit;
    if (l > 0 && ring.size() < l && LIMIT.compareAndSet(this, l, 0)) {
      few.run();
    }
    return true;
  }
}
