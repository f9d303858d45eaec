/**
 * Packet capture: a wire around another wire copies packets into a bounded ring, and a thread,
 * which exists only while a session runs, writes the ring to a sink as pcapng. The data path never
 * waits for that thread. The driver creates the wires; {@code ib.core.spi.PacketCapture} starts and
 * ends sessions. IBA vol. 1 chapters 6 and 7; the pcapng and ERF formats.
 *
 * <p>Locks: the monitor of {@code Capture}, one per device, guards the session, its ring and the
 * list of media. A thread that holds it closes or opens the media's ways and starts the writer's
 * thread, and waits for no thread. Packets are copied, and a session is closed, without it.
 */
@NullMarked
package ib.engine.capture;

import org.jspecify.annotations.NullMarked;
