/**
 * The connection manager on devices: each port has one agent of the management class, one {@link
 * ib.cm.internal.machine.Station}, and one thread for timers, while it is used.
 *
 * <p>Locks: the monitor of {@code Devices} guards the table of devices, that of {@code Ports} the
 * table of a device's open ports; it is held while an agent is opened or closed. The lock of {@code
 * LivePort} guards the station and the connections of the port. {@code Ports} nests {@code
 * LivePort}, and nothing else nests. No lock is held during a callback.
 */
@NullMarked
package ib.cm.internal.port;

import org.jspecify.annotations.NullMarked;
