package ib.core.internal.callback;

import ib.core.serial.Serial;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.PostStatus;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of a raw completion queue on the queue's vector: one call at a time, no
 * notification lost, in an atomic section (S23-S26).
 */
final class RawCompletions extends Serial implements CompletionNotifier {
  private final CompHandler handler;
  private final @Nullable Object context;
  private final Contract contract;
  private volatile @Nullable CompletionQueue cq;

  RawCompletions(
      CompHandler handler, @Nullable Object context, Contract contract, CompletionVector vector) {
    super(vector);
    this.handler = handler;
    this.context = context;
    this.contract = contract;
  }

  void connect(CompletionQueue queue) {
    cq = queue;
    queue.connect(this);
  }

  boolean isConnected() {
    return cq != null;
  }

  @Override
  protected void call() {
    CompletionQueue queue = cq;
    if (queue == null) {
      return; // no consumer can have armed a queue that is not connected
    }
    Contract.enterAtomic();
    try {
      handler.complete(queue, context);
    } catch (Throwable e) {
      contract.handlerThrew("the completion handler of " + queue, e);
    } finally {
      Contract.exitAtomic();
    }
  }

  @Override
  protected void failed(Throwable thrown) {
    contract.handlerThrew("a completion queue", thrown);
  }

  @Override
  public void notifyCompletion(CompletionQueue queue) {
    schedule();
  }

  @Override
  public int processDirect(CompletionQueue queue, int budget) {
    return PostStatus.INVALID;
  }
}
