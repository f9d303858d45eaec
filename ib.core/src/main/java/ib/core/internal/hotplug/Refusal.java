package ib.core.internal.hotplug;

import java.util.List;

/**
 * A wait that was not entered, since it would never have ended (contract 2.6, 4); or that was given
 * up, for another wait or since it took too long (CC-19).
 *
 * @param op what was asked for; it stays queued
 * @param path the threads of the cycle, the caller's first; or the caller's and the owner's
 * @param owner what the first owner on the path is doing
 * @param waitedNs how long it was waited for when that took too long; else 0
 */
record Refusal(Op op, List<Thread> path, String owner, long waitedNs) {
  /** Whether there was no cycle, but no end either. */
  boolean late() {
    return waitedNs > 0;
  }
}
