/**
 * The claim of a queue pair: its token, the list of queue pairs that a thread has claimed and still
 * has to run, and the worker (D4). The package has one thread, the device's worker: it runs timers,
 * and work that remains when a poster has used up its budget. Any thread may call the token and
 * hand work to the worker; only its thread may call a run list.
 *
 * <p>Locks: a {@code Worker} without a thread is run by its callers, one at a time under the
 * monitor of its timers. With a thread it takes none.
 */
@NullMarked
package ib.engine.run;

import org.jspecify.annotations.NullMarked;
