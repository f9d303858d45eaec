package ib.core.verbs;

/** What a managed completion queue calls when a request has completed (Linux: ib_cqe). */
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
