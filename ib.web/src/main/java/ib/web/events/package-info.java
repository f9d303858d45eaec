/**
 * The latest events of all devices with the gaps in their numbers, and how devices were plugged and
 * unplugged. The thread of the event bus adds; threads of the HTTP service draw.
 *
 * <p>Locks: the monitor of {@code EventRing} guards the events, and nests nothing.
 */
@NullMarked
package ib.web.events;

import org.jspecify.annotations.NullMarked;
