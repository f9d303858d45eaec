package ib.engine.cq;

import ib.engine.run.RunList;
import ib.engine.run.Worker;

/** A queue pair that has nothing to do and is never handed to a worker, for tests to extend. */
public class IdleMember extends Member {
  /** Makes one with completion queues. */
  public IdleMember(SoftCq send, SoftCq receive) {
    super(send, receive);
  }

  /** Makes one without completion queues. */
  public IdleMember() {
    this(null, null);
  }

  @Override
  protected void polled(boolean receive, long end) {}

  @Override
  protected void cqLost(RunList run) {}

  @Override
  protected boolean direct(RunList run) {
    return false;
  }

  @Override
  protected boolean step(RunList run) {
    return false;
  }

  @Override
  protected boolean watch() {
    return true;
  }

  @Override
  protected void crashed(Throwable why) {
    throw new AssertionError(why);
  }

  @Override
  protected Worker worker() {
    throw new AssertionError("no budget is used up");
  }
}
