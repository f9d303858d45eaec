/**
 * The one wait-for graph of a midlayer (B15).
 *
 * <p>Threads: none. Locks: the leaf of {@code WaitGraph}, one per midlayer, guards the waits and
 * the state of hot-plug. A thread that holds the leaf may take the monitor of hot-plug's {@code
 * WatchdogThread}, and no other lock; it does not wait, and runs no code of a client or a driver.
 * {@code ServiceGate} of {@code ib.core.internal.osgi} takes the leaf while it holds the monitor of
 * a service. Each wait of the core for another thread is in the graph, or the page of the waiting
 * package names that wait and says why the graph does not need it.
 */
@NullMarked
package ib.core.internal.waits;

import org.jspecify.annotations.NullMarked;
