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
 * groups of the port; a thread that holds it may take the monitor of {@code LocalWires}, one per
 * driver, which guards the driver's book of addresses, and takes none inside. The data path takes
 * no lock.
 *
 * <p>Between two devices of one driver a request of a connected queue pair is executed at the peer
 * ({@link ib.engine.wire.Wire#direct}), and another unicast packet is handed to the peer's port by
 * the thread that sends it ({@code UdpWire.transmit}); {@code UdpOptions.Local} says when not.
 */
@NullMarked
package ib.driver.rxe.udp;

import org.jspecify.annotations.NullMarked;
