/**
 * Queue pairs as they are: their fields, slots and counters, the ports and the device that they
 * belong to, and the verbs objects (IBA vol. 1 chapters 9 and 10). Later packages execute their
 * requests ({@code direct}, {@code packet}) and run, change and destroy them ({@code control}), by
 * the thread that has work for a queue pair (D4). The package has no threads of its own. Any thread
 * may call verbs objects; only the thread that holds the queue pair's claim ({@link
 * ib.engine.run.ClaimToken}) may call the rest.
 *
 * <p>Locks, for the control path; the worker's look at the counts takes that of {@code Tally}. A
 * queue pair has none: {@code QpControl} takes its claim, for which one caller at a time waits, at
 * most 5 s, and the holder may take each of the following. The monitor of {@code HcaCore}, one per
 * device, guards which queue pair has which number; with it are taken those of {@code SpecialPair},
 * {@code Tally}, {@code Multicast} and of the tables. {@code Multicast} guards the groups, and
 * calls the medium to join and leave. {@code SpecialPair} guards the queue pairs 0 and 1 of a port,
 * {@code Tally} the queue pairs whose counts make those of the ports. The monitor of {@code
 * HcaPort} guards the attributes and tables of a port; its holder raises the event of the change,
 * which waits for nothing. The monitor of {@code SoftMr} lets one thread at a time register a
 * region anew, and is held while that thread waits for the queue pairs that may copy; while it asks
 * which those are, {@code SoftPd} takes its own, with which nothing else is taken.
 */
@NullMarked
package ib.engine.qp;

import org.jspecify.annotations.NullMarked;
