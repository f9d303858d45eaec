package ib.driver.verbs.object;

import ib.core.verbs.WorkCompletion;

/**
 * A send, receive or shared receive queue as its completions see it. The ID of a request in C is
 * the number of its queue in the upper half, and the number of the request in the lower one; what
 * the consumer gave with the request stays here.
 */
interface WorkQueue {
  /** A completion's way from here. */
  enum Fate {
    /** A consumer gets it. */
    VISIBLE,
    /** The driver has asked for it, and no consumer gets it. */
    HIDDEN
  }

  /**
   * A completion was read from the device. For the holder of the claim of the completion queue.
   *
   * @param request the lower half of the ID
   * @param status the number of the status in C, 0 for success
   */
  Fate arrived(int request, int status);

  /**
   * A consumer takes a completion. For the holder of the claim of the completion queue.
   *
   * @param request the lower half of the ID
   * @param into takes the consumer's ID and callback
   */
  void taken(int request, WorkCompletion into);
}
