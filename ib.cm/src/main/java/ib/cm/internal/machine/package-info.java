/**
 * The connection manager of one port as a pure machine: messages, calls and timers in; messages,
 * timers and events out. {@link ib.cm.internal.machine.StateTable} says what each state does, and
 * {@link ib.cm.internal.machine.Station} has the only loop over it. It has no threads, no locks and
 * no clock of its own: the owner calls it on one thread at a time.
 *
 * <p>IBA vol. 1 section 12.9.
 */
@NullMarked
package ib.cm.internal.machine;

import org.jspecify.annotations.NullMarked;
