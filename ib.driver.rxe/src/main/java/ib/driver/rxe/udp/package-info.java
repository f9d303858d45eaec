/**
 * The wire of a RoCEv2 port (IBA annex A17): ordinary UDP sockets, one for each local address and
 * source port. A thread of the wire receives and runs the engine for what it has received. The
 * thread that runs a queue pair sends (D4), without blocking or allocating.
 *
 * <p>Threads: {@code ib-<device>-rx} receives; from the first completion handler that runs there
 * on, {@code ib-<device>-rx-2} takes over when handlers last ({@code Receiver}, {@code Crew}). A
 * handler runs there with no lock, claim or ring held. An idle wire wakes no thread up.
 *
 * <p>Locks: the monitor of {@code UdpWire}, one per port, guards the addresses, the sockets and the
 * groups of the port. The data path takes no lock.
 */
@NullMarked
package ib.driver.rxe.udp;

import org.jspecify.annotations.NullMarked;
