/**
 * Callbacks: completion vectors, the serial of each completion queue and of each object's events,
 * managed completion queues, and the checks of the contract that a callback can make (S1, S20-S26).
 *
 * <p>Threads: one daemon thread per completion vector in use and one for the events of objects, per
 * device; a driver's thread that keeps its runs ({@link ib.core.serial.KeptRuns}) runs the serials
 * of completion queues that it wakes up, in place of the vector's thread; a small pool and virtual
 * threads per midlayer for the poll contexts that may sleep. Drivers call in from any context and
 * never wait here.
 *
 * <p>Locks: the monitor of {@code CompletionVector} guards the start and the end of the vector's
 * thread. It is a leaf: a thread that holds it takes no other lock, waits for no other thread and
 * runs no callback. The state of a callback belongs to the thread that is in a run of its serial.
 * Only the closes of vectors and of the pool wait; they hold no lock, and enter their waits into
 * the wait-for graph.
 */
@NullMarked
package ib.core.internal.callback;

import org.jspecify.annotations.NullMarked;
