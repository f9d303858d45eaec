/**
 * Hot-plug: which devices and clients there are, in which order clients are told of devices, and
 * the fences that make {@code unregister} mean that nobody uses what is unregistered (S27-S43, CC-1
 * to CC-26, I1-I8). Plain Java; OSGi is one of its callers.
 *
 * <p>One actor per device, run by the thread that has work for it; no lock is held while client or
 * driver code runs (I5). Threads owned here: one daemon watchdog, and a helper when a callback does
 * not return or an operation was asked for where nobody may wait. Called in by any thread that may
 * sleep (S29). Text: contract, sections 2.4 to 2.6.
 */
@NullMarked
package ib.core.internal.hotplug;

import org.jspecify.annotations.NullMarked;
