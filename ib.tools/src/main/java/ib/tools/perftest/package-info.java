/**
 * perftest's {@code ib_send_bw}, {@code ib_write_bw}, {@code ib_read_bw}, {@code ib_atomic_bw} and
 * their {@code _lat} forms, with their options, their tables and their exchange over TCP, so that
 * the peer may be perftest itself (version 6.06). Plain Java over {@link ib.core.client.IbCore}. A
 * run uses its caller's thread only, and ends when its device is removed.
 *
 * <p>Locks. {@code Control.inUse} says that a run by address has objects at its device: only the
 * run's thread holds it, while it calls the core, too; the removal of the device waits for it when
 * it destroys the queue pair of the run's first connection, and holds no lock. Nothing nests in it.
 */
@NullMarked
package ib.tools.perftest;

import org.jspecify.annotations.NullMarked;
