/**
 * Asynchronous events of devices (D8): per device one bounded queue, one dispatcher thread that
 * refreshes the caches, numbers the event and posts it on the event bus, and one serial queue per
 * typed handler.
 *
 * <p>Owned threads: {@code ib-<device>-events}, virtual, started with the first event and ended by
 * {@code closeAndDrain}; {@code ib-events-watch}, one per midlayer; typed handlers run on virtual
 * threads. Anybody may call {@code dispatch}; everything else is the midlayer's. No {@code
 * org.osgi} here.
 *
 * <p>Texts: contract.md S12, S42-S47, CC-16, CC-17, B12, B13; IBA vol. 1 section 11.6.3.
 */
package ib.core.internal.event;
