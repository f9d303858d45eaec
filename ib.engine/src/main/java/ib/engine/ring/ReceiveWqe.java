package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.engine.mr.SgeList;
import org.jspecify.annotations.Nullable;

/** A copy of a receive request; one per queue pair, reused. */
public final class ReceiveWqe {
  /** Work request id. */
  public long wrId;

  /** Index after it in its queue, 0 when that is shared: nothing is to be freed then. */
  public long end;

  /** The callback of a managed queue, or null. */
  public @Nullable Cqe cqe;

  /** Scatter elements. */
  public final SgeList sges;

  /**
   * Makes an empty request.
   *
   * @param sgeMost greatest number of elements
   */
  public ReceiveWqe(int sgeMost) {
    this.sges = new SgeList(sgeMost);
  }
}
