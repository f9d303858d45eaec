/**
 * Packet capture: a wire around another wire copies packets into a bounded ring, and a thread,
 * which exists only while a session runs, writes the ring to a sink as pcapng. The data path never
 * waits for that thread. The driver creates the wires; {@code ib.core.spi.PacketCapture} starts and
 * ends sessions. IBA vol. 1 chapters 6 and 7; the pcapng and ERF formats.
 */
@NullMarked
package ib.engine.capture;

import org.jspecify.annotations.NullMarked;
