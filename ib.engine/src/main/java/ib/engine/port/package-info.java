/**
 * A device and its ports as the driver sees them: attributes, tables and events, packets that come
 * in, multicast groups, which queue pair has which number, and the counters (IBA vol. 1 chapters
 * 10, 14 and 16). Any thread may call. The package has no threads of its own.
 *
 * <p>Locks, for the control path; the worker's look at the counts takes that of {@code Tally}. The
 * monitor of {@code HcaCore}, one per device, guards which queue pair has which number; with it are
 * taken those of {@code SpecialPair}, {@code Tally}, {@code Multicast} and of the tables. {@code
 * Multicast} guards the groups, and calls the medium to join and leave. {@code SpecialPair} guards
 * the queue pairs 0 and 1 of a port, {@code Tally} the queue pairs whose counts make those of the
 * ports. The monitor of {@code HcaPort} guards the attributes and tables of a port; its holder
 * raises the event of the change, which waits for nothing.
 */
@NullMarked
package ib.engine.port;

import org.jspecify.annotations.NullMarked;
