/**
 * Captures for tests: reads what {@code ib.core.spi.PacketCapture} writes. The package has no
 * threads; the thread of the capture calls it.
 */
@NullMarked
package ib.kit.capture;

import org.jspecify.annotations.NullMarked;
