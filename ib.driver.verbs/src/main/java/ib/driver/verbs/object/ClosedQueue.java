package ib.driver.verbs.object;

/**
 * A work queue whose queue pair is closed, and whose completions lie in a completion queue until a
 * consumer takes them (FLUSH-004 of the kit). For the holder of the claim of that completion queue.
 */
interface ClosedQueue {
  /** Drops the requests that have no completion, because none follows. */
  void settle();

  /** {@return whether completions are left for a consumer} */
  boolean hasLeft();

  /** Forgets all: the completion queue goes, or nothing is left. */
  void forget();
}
