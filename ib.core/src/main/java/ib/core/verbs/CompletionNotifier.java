package ib.core.verbs;

/** The core's part of a completion queue, set by the core; neither for drivers nor for ULPs. */
public interface CompletionNotifier {
  /**
   * Schedules the handler on the queue's vector.
   *
   * @param cq the queue
   */
  @AnyContext
  void notifyCompletion(CompletionQueue cq);

  /**
   * Polls and calls {@code done} in the caller.
   *
   * @param cq the queue
   * @param budget how many at the most
   * @return how many
   */
  int processDirect(CompletionQueue cq, int budget);
}
