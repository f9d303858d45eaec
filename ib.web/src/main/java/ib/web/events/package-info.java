/**
 * The latest events of all devices with the gaps in their numbers, and how devices were plugged and
 * unplugged. The thread of the event bus adds; threads of the HTTP service draw.
 */
@NullMarked
package ib.web.events;

import org.jspecify.annotations.NullMarked;
