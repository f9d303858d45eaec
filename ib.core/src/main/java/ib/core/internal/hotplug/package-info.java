/**
 * Hot-plug: the devices and clients, the order in which clients get devices, and the fences that
 * make {@code unregister} return only when no client uses the device any more (S27-S43, CC-1 to
 * CC-26, I1-I8). Plain Java; OSGi is one of its callers.
 *
 * <p>Each device has one actor. A thread that has an operation for the device runs the actor. This
 * package starts these threads: one daemon watchdog, and a helper when a callback does not return
 * or when the caller of an operation may not wait. Any thread that may sleep may call in (S29).
 *
 * <p>Locks, one of each per midlayer: the lock of {@code Book}, which is the leaf of the wait-for
 * graph, guards the devices, clients, bindings, operations and leases ("guarded by the book"). A
 * thread takes it only in {@code Book.compute}, {@code find} and {@code update}; while the thread
 * holds it, it may take the monitor of {@code WatchdogThread} to announce a due time, and no other
 * lock. That monitor guards the watchdog's thread, and is a leaf. No thread holds a lock while it
 * waits or while it runs code of a client, a driver or an observer (I5). A thread waits for its
 * turn, for the end of an operation and for leases; the wait-for graph has each of these waits. The
 * wait for the end of the watchdog's thread, 1 s at most, is not in the graph.
 */
@NullMarked
package ib.core.internal.hotplug;

import org.jspecify.annotations.NullMarked;
