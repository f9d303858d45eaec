/**
 * The core's own events of Java Flight Recorder: hot-plug and counters. Those that drivers tell of
 * are in {@code ib.core.spi.Trace}; no class of an event is a driver's, because the recorder keeps
 * what it has seen and would hold on to the classes of a driver that is gone. No threads: an event
 * is committed on the thread on which something happens.
 */
@NullMarked
package ib.core.internal.trace;

import org.jspecify.annotations.NullMarked;
