/**
 * Time as the engine sees it: a clock that can be virtual, and the heap of timers that the device's
 * worker owns. Nothing here reads the system clock but {@code NanoClock.SYSTEM}.
 */
@NullMarked
package ib.engine.time;

import org.jspecify.annotations.NullMarked;
