package ib.core.internal.hotplug;

import java.util.List;

/**
 * A wait that was not entered, since it would never have ended (contract 2.6, 4).
 *
 * @param op what was asked for; it stays queued
 * @param path the threads of the cycle, the caller's first
 * @param owner what the first owner on the path is doing
 */
record Refusal(Op op, List<Thread> path, String owner) {}
