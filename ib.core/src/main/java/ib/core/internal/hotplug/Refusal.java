package ib.core.internal.hotplug;

import java.util.List;

/**
 * A refused wait. It was not entered, because it would never have ended (B15), or it was ended
 * early, in favour of another wait or at the deadline (CC-19).
 *
 * @param op the operation that the thread waited for; it stays queued
 * @param path the threads of the cycle, the caller's first; or the caller's and the owner's
 * @param owner what the first owner on the path is doing
 * @param party whose code it is doing that in: a client or a driver
 * @param waitedNs how long it was waited for when that took too long; else 0
 */
record Refusal(Op op, List<Thread> path, String owner, String party, long waitedNs) {
  /** Whether there was no cycle, but no end either. */
  boolean late() {
    return waitedNs > 0;
  }
}
