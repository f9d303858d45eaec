/**
 * The events of Java Flight Recorder. They stand here and not in the drivers, because the recorder
 * keeps what it has seen and would hold on to the classes of a driver that is gone. No threads;
 * {@code ib.core.spi.Trace} fills and commits them on whatever thread something happens.
 */
@NullMarked
package ib.core.internal.trace;

import org.jspecify.annotations.NullMarked;
