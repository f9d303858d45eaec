package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotThreadSafe;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;

/**
 * A completion queue whose lazy form takes each completion out and reads it from a copy. It suits a
 * driver that cannot leave an entry where it lies until the consumer has read it.
 */
public abstract class CopiedCompletionQueue extends CompletionQueue {
  private final WorkCompletion current = new WorkCompletion();

  /**
   * For drivers.
   *
   * @param control the core's book
   * @param init the attributes given at creation
   */
  protected CopiedCompletionQueue(ObjectControl control, CqInit init) {
    super(control, init);
  }

  /**
   * Takes the next completion out.
   *
   * @param into takes a copy
   * @return whether there was one
   */
  @AnyContext
  protected abstract boolean take(WorkCompletion into);

  @Override
  @NotThreadSafe
  public final boolean startPoll() {
    return take(current);
  }

  @Override
  @NotThreadSafe
  public final boolean nextPoll() {
    return take(current);
  }

  /** Forgets the callback of the last completion; it was taken out before. */
  @Override
  @NotThreadSafe
  public final void endPoll() {
    current.cqe(null);
  }

  @Override
  public final long wrId() {
    return current.wrId();
  }

  @Override
  public final WcStatus status() {
    return current.status();
  }

  @Override
  public final WcOpcode opcode() {
    return current.opcode();
  }

  @Override
  public final int byteLen() {
    return current.byteLen();
  }

  @Override
  public final int immData() {
    return current.immData();
  }

  @Override
  public final int wcFlags() {
    return current.wcFlags();
  }

  @Override
  public final int qpn() {
    return current.qpn();
  }

  @Override
  public final int srcQp() {
    return current.srcQp();
  }

  @Override
  @NotThreadSafe
  public final void readCurrent(WorkCompletion into) {
    into.set(current);
  }
}
