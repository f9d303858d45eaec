/**
 * Hot-plug: the devices and clients, the order in which clients get devices, and the fences that
 * make {@code unregister} return only when no client uses the device any more (S27-S43, CC-1 to
 * CC-26, I1-I8). Plain Java; OSGi is one of its callers.
 *
 * <p>Each device has one actor, run by a thread that has an operation for it; no lock is held while
 * client or driver code runs (I5). This package starts these threads: one daemon watchdog, and a
 * helper when a callback does not return or when the caller of an operation may not wait. Any
 * thread that may sleep may call in (S29).
 */
@NullMarked
package ib.core.internal.hotplug;

import org.jspecify.annotations.NullMarked;
