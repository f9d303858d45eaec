/**
 * Asynchronous events of devices (D8): per device one bounded ring, a dispatcher that refreshes the
 * caches and numbers the event, a thread that runs the dispatcher and posts on the event bus, and
 * one mailbox per typed handler. The package does not use {@code org.osgi}.
 *
 * <p>Threads of this package: {@code ib-<device>-events}, virtual, started with the first event and
 * ended by {@code closeAndDrain}; {@code ib-events-watch}, one per midlayer; typed handlers run on
 * virtual threads. Any thread may call {@code dispatch}; only the midlayer calls the other methods.
 *
 * <p>Locks, one of each per device: the monitor of {@code HandlerTable} guards the table of
 * handlers, that of {@code ReturnWindow} the events on the bus, that of {@code Poster} the queue of
 * posts. All three are leaves: a thread that holds one takes no other lock, waits for no other
 * thread, and calls no bus, handler or driver. The dispatcher's state belongs to the thread that is
 * in a run of the dispatcher. Only {@code unregister}, {@code closeOwner} and {@code drain} wait;
 * they hold no lock, and the wait-for graph of {@code ib.core.internal.waits} has each of these
 * waits.
 *
 * <p>Clauses: S12, S42-S47, CC-16, CC-17, B12, B13; IBA vol. 1 section 11.6.3.
 */
package ib.core.internal.event;
