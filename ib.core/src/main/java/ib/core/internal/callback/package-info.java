/**
 * Callbacks: completion vectors, the serial task of each completion queue and of each object's
 * events, managed completion queues, and the checks of the contract that can be made here (S1,
 * S20-S26).
 *
 * <p>Threads: one daemon thread per completion vector in use and one for the events of objects, per
 * device; a small pool and virtual threads per midlayer for the poll contexts that may sleep.
 * Drivers call in from any context and never wait here.
 *
 * <p>Locks: the monitor of a completion vector guards the start and the end of its thread. It is a
 * leaf, and no run of a callback happens while a thread holds it.
 */
@NullMarked
package ib.core.internal.callback;

import org.jspecify.annotations.NullMarked;
