/**
 * Watching packets: a wire around another that copies what passes into a bounded ring, and a
 * thread, only while a capture runs, that writes the ring to a sink as pcapng. The data path never
 * waits for that thread. The driver builds the wires; {@code ib.core.spi.PacketCapture} starts and
 * ends captures. IBA vol. 1 chapters 6 and 7; the pcapng and ERF formats.
 */
@NullMarked
package ib.engine.capture;

import org.jspecify.annotations.NullMarked;
