/**
 * The objects of a device of the host: each has its structure of C and what the midlayer's contract
 * wants beyond C. The midlayer calls the control path from any thread; consumers call the data
 * path.
 *
 * <p>Threads: a device has one that reads asynchronous events ({@link
 * ib.driver.verbs.object.AsyncEvents}), one for each completion vector in use, and one for each
 * arena of a consumer that has registered memory.
 *
 * <p>Locks: a claim (class {@code Claim}) lets one thread at a time into a structure of C. A thread
 * that has a send or a receive claim may take the claim of a completion queue, never the other way
 * round. Monitors: {@code Table} and {@code Regions} guard a copy-on-write array each, {@code
 * VerbsContext} its channels, {@code LastState} the changes of a queue pair's state, and {@code
 * Hold} the arenas that are held; these are leaves. {@code VerbsMr} and {@code VerbsAh} guard a
 * change of theirs, which calls the kernel; a thread that holds one of the two may take those of
 * {@code Regions} and {@code Hold}.
 */
@NullMarked
package ib.driver.verbs.object;

import org.jspecify.annotations.NullMarked;
