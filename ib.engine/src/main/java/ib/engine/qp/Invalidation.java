package ib.engine.qp;

import ib.engine.mr.Key;
import ib.engine.mr.Region;
import ib.engine.mr.Window;

/** Invalidation of a remote key of this side, by ourselves or by the peer (IBA 10.6.5). */
public final class Invalidation {
  private Invalidation() {}

  /** LOCAL_INV; returns whether it was allowed. */
  public static boolean local(QpCore qp, int rkey) {
    return invalidate(qp, rkey, false);
  }

  /** SEND_WITH_INV arrived; returns whether it was allowed. */
  public static boolean remote(QpCore qp, int rkey) {
    return invalidate(qp, rkey, true);
  }

  /**
   * Whether no other queue pair is in the middle of a copy through an invalidated key. Until then
   * the invalidation is not complete (IBA 10.6.5): neither its request nor the receive of the
   * message that carried it completes, so no byte is written after the consumer has polled that
   * completion. This method never waits; the invalidating queue pair checks again on its next run.
   */
  public static boolean settled(QpCore qp, int rkey) {
    Key key = qp.hca.rkeys().find(rkey);
    Object object = key == null ? null : key.object();
    if (object instanceof Window window) {
      return window.settled();
    }
    return !(object instanceof Region region) || region.settled();
  }

  private static boolean invalidate(QpCore qp, int rkey, boolean mustBeOpen) {
    Key key = qp.hca.rkeys().find(rkey);
    if (key == null || key.number() != rkey || key.domain() != qp.domain()) {
      return false;
    }
    Object object = key.object();
    if (object instanceof Window window) {
      return window.invalidate(qp);
    }
    return object instanceof Region region && region.invalidate(mustBeOpen);
  }
}
