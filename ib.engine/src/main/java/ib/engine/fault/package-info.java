/**
 * Fault injection: a wire around any other wire loses, copies, holds and damages packets by rules
 * and one seed (D12). The package has no threads. The thread that sends or delivers a packet
 * disturbs it; the device's worker releases held packets, also in virtual time. Any thread may call
 * every method; those on the data path do not block.
 *
 * <p>Locks: the monitor of {@code Faults}, one per device, guards the changes of the list of rules
 * and the list of media. A thread that holds it closes or opens the media's ways, and waits for no
 * thread. Packets meet the rules without it.
 */
@NullMarked
package ib.engine.fault;

import org.jspecify.annotations.NullMarked;
