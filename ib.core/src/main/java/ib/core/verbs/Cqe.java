package ib.core.verbs;

/** The callback of a managed completion queue for a completed request (Linux: ib_cqe). */
@FunctionalInterface
public interface Cqe {
  /**
   * The request is done.
   *
   * @param cq the queue
   * @param wc the completion; reused after the call returns
   */
  @Callback
  void done(CompletionQueue cq, WorkCompletion wc);
}
