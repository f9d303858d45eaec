package ib.core.verbs;

import java.time.Duration;

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

  /**
   * Waits for completions, see {@link CompletionQueue#await(WorkCompletion[], Duration)}.
   *
   * @param cq the queue
   * @param into takes them; at least one object
   * @param limit how long to wait at most
   * @return how many were taken
   */
  @MaySleep
  default int await(CompletionQueue cq, WorkCompletion[] into, Duration limit) {
    throw new IbInvalidException(
        cq + ".await", "its handler takes its completions", "a queue that is only polled");
  }
}
