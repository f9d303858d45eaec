/**
 * Starts the framework from the run descriptor {@code ib.bndrun}, with a shell or for one line of
 * commands. Everything is used on the main thread only, except the shell's {@code exit} command,
 * which a thread of the shell calls.
 *
 * <p>Locks: the monitor of {@code Service} guards whether the service has its socket; it is held
 * while the socket is opened or closed.
 */
@NullMarked
package ib.launcher;

import org.jspecify.annotations.NullMarked;
