package ib.engine.cq;

import ib.engine.run.Claimed;
import ib.engine.run.RunList;

/** A queue pair, as its completion queues know it. */
public abstract class Member extends Claimed {
  /** Where its send requests complete. */
  public final SoftCq sendCq;

  /** Where its receive requests complete. */
  public final SoftCq recvCq;

  int sendCqPlace; // CqUsers'
  int recvCqPlace; // CqUsers'

  /**
   * Makes one that is not attached yet.
   *
   * @param sendCq where its send requests complete
   * @param recvCq where its receive requests complete
   */
  protected Member(SoftCq sendCq, SoftCq recvCq) {
    this.sendCq = sendCq;
    this.recvCq = recvCq;
  }

  /** A completion queue of its has lost an entry; any thread. */
  protected abstract void cqLost(RunList run);
}
