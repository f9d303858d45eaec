/**
 * The connection manager on devices: each port has one agent of the management class, one {@link
 * ib.cm.internal.machine.Station}, and one thread for timers, from the add of its device to the
 * removal.
 *
 * <p>Threads: the thread of a port's timers begins with the first timer. A handler's callbacks run
 * on virtual threads, one at a time for each connection: a {@code LiveConnection} is a mailbox.
 *
 * <p>Locks: the lock of {@code LivePort} guards the station, the timer and the shares of the port,
 * and nests no lock of this bundle. Its holder sends datagrams and puts events into mailboxes; both
 * may be done in any context, and neither runs a handler on the stack of the holder. No lock is
 * held during a callback, while the agent is registered or closed, nor during a fence: the close of
 * a share waits in the wait-for graph of the midlayer for the callbacks of its connections. The
 * lock of {@code FailureBook} guards its entries, and nests nothing.
 */
@NullMarked
package ib.cm.internal.port;

import org.jspecify.annotations.NullMarked;
