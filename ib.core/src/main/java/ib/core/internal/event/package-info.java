/**
 * Asynchronous events of devices (D8): per device one bounded ring, a dispatcher that refreshes the
 * caches and numbers the event, a thread that runs the dispatcher and posts on the event bus, and
 * one mailbox per typed handler.
 *
 * <p>Owned threads: {@code ib-<device>-events}, virtual, started with the first event and ended by
 * {@code closeAndDrain}; {@code ib-events-watch}, one per midlayer; typed handlers run on virtual
 * threads. Anybody may call {@code dispatch}; everything else is the midlayer's. No {@code
 * org.osgi} here.
 *
 * <p>Locks, all leaves: {@code HandlerTable} (handlers by object), {@code ReturnWindow} (events on
 * the bus), {@code Poster} (posts to be made). None is held while the bus, a handler, a driver or a
 * report is called.
 *
 * <p>Texts: contract.md S12, S42-S47, CC-16, CC-17, B12, B13; IBA vol. 1 section 11.6.3.
 */
package ib.core.internal.event;
