package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.engine.mr.SgeList;
import org.jspecify.annotations.Nullable;

/** A receive request that was taken out of its ring; one per queue pair, reused. */
public final class ReceiveWqe {
  /** Work request id. */
  public long wrId;

  /** What a managed queue calls, or null. */
  public @Nullable Cqe cqe;

  /** Elements. */
  public final SgeList sges;

  /**
   * Makes an empty request.
   *
   * @param sgeMost elements it can hold
   */
  public ReceiveWqe(int sgeMost) {
    this.sges = new SgeList(sgeMost);
  }
}
