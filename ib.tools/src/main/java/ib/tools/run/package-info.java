/**
 * The common part of commands that transfer data: their devices, their verbs objects and their TCP
 * connection. Plain Java. Only the thread of the run that created an object may use it.
 *
 * <p>Locks: the monitor of {@code DeviceUse} guards its devices, and nests nothing.
 */
@NullMarked
package ib.tools.run;

import org.jspecify.annotations.NullMarked;
