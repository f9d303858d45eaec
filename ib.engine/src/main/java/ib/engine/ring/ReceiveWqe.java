package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.engine.mr.SgeList;
import org.jspecify.annotations.Nullable;

/** A receive request that was taken out of its ring; one per queue pair, reused. */
public final class ReceiveWqe {
  /** Work request id. */
  public long wrId;

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
