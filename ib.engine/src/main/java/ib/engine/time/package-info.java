/**
 * The engine's time: a clock that can be virtual, and the heap of timers of the device's worker.
 * Only {@code NanoClock.SYSTEM} reads the system clock.
 */
@NullMarked
package ib.engine.time;

import org.jspecify.annotations.NullMarked;
