package ib.engine.cq;

import ib.engine.run.Claimed;
import ib.engine.run.RunList;

/** A queue pair, as its completion queues know it. */
public abstract class Member extends Claimed {
  /** Where its send requests complete. */
  public final SoftCq sendCq;

  /** Where its receive requests complete. */
  public final SoftCq recvCq;

  long sendPlace; // in sendCq: place 32, serial 32; Members writes both
  long recvPlace; // in recvCq

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

  /** {@return its place and serial in the queue of its sends, for an entry} */
  public final long sendPlace() {
    return sendPlace;
  }

  /** {@return its place and serial in the queue of its receives, for an entry} */
  public final long recvPlace() {
    return recvPlace;
  }

  /** Whether an entry with this place and serial is one of its own, not of one before it there. */
  final boolean owns(long place, boolean receive) {
    return (receive ? recvPlace : sendPlace) == place;
  }

  /** A completion queue of its has lost an entry; any thread. */
  protected abstract void cqLost(RunList run);

  /**
   * A completion of its was polled, and so were those of all requests before; any thread.
   *
   * @param receive whether of a receive
   * @param end index after the request in its queue
   */
  protected abstract void polled(boolean receive, long end);
}
