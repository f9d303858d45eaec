/**
 * Completion queues (IBA vol. 1 sections 10.8 and 11.4.2): their rings, what pollers and consumers
 * of notifications see of them, and the queue pairs that use them. Producers are the threads that
 * hold the claims of these queue pairs. The package has no threads; the device's worker runs its
 * timers.
 *
 * <p>Who writes what, from the completion of a request to the free slot of its work queue:
 *
 * <table>
 * <caption>Words and their writers</caption>
 * <tr><th>word</th><th>writer</th><th>order</th></tr>
 * <tr><td>{@code toldEnd} of a work queue: index after the last request with a completion
 *     <td>holder of the claim<td>before the completion is pushed and before {@code head}
 * <tr><td>{@code tail} of a completion ring<td>producers<td>fetch-and-add, a full fence
 * <tr><td>words 1 to 7 of an entry<td>its producer<td>plain, before its word 0
 * <tr><td>word 0 of an entry<td>its producer<td>release; a poller reads it by acquire
 * <tr><td>{@code head} of a work queue: index after the last completed request
 *     <td>holder of the claim; of a shared queue who takes, by CAS
 *     <td>release, after the completion is pushed: so a request counts as outstanding until its
 *     completion can be polled
 * <tr><td>{@code head} of a completion ring<td>pollers<td>CAS; what was copied before counts then
 * <tr><td>{@code released} of a work queue: index after the last request whose completion was
 *     polled<td>pollers<td>CAS to a larger value, after the CAS that took the entry
 * <tr><td>place and serial of a member<td>{@link ib.engine.cq.Members}, at the attach
 *     <td>plain: the first claim of the queue pair comes after it
 * <tr><td>{@code armed}<td>consumers and who notifies them<td>CAS; a full fence before the look at
 *     the entries
 * </table>
 *
 * <p>A poster counts as free what stands before {@code released}, and when {@code released} equals
 * {@code toldEnd} what stands before {@code head} as well: requests without a completion are free
 * when those before them were polled (IBA 10.8.5). It reads {@code head} first, then {@code
 * toldEnd}, then {@code released}: a head that it sees was written after the {@code toldEnd} of
 * every request before it, so between the {@code toldEnd} that it reads and that head no request
 * has a completion.
 *
 * <p>An entry names its queue pair by place and serial. A place is given again; a serial is not, so
 * an entry that outlives its queue pair releases nothing. The indices of a work queue run on over
 * resets, so an entry of an earlier life is older than every slot of the new ring and releases
 * nothing either. Places belong to the queue, not to its ring: a resize changes none.
 *
 * <p>Locks, for the control path alone: the monitor of {@code Members} guards the places, and is a
 * leaf; that of {@code SoftCq} lets one thread at a time resize and moderate. Producers and pollers
 * take neither.
 */
@NullMarked
package ib.engine.cq;

import org.jspecify.annotations.NullMarked;
