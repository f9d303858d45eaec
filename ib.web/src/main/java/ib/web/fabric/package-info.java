/**
 * The topology: a model of what a scan finds and of the devices of this runtime, and its picture.
 * Threads of the HTTP service call; a scan blocks them until its answers have arrived.
 *
 * <p>Locks: the monitor of {@code TopologyScreen} guards the last scan, and is held during a scan,
 * so that pages share one.
 */
@NullMarked
package ib.web.fabric;

import org.jspecify.annotations.NullMarked;
