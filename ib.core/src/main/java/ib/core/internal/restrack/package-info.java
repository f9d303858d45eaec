/**
 * Resource tracking: one record per object (owner, place of creation, life, references), the table
 * of a device's objects for introspection, and the cleanup that reports and destroys the objects
 * that a client has left, and disassociates the client's handle (D2, CC-20). Quotas limit what each
 * client may have ({@link ib.core.internal.restrack.Quota}).
 *
 * <p>Threads: none. The life and the references of an object are one atomic word.
 *
 * <p>Locks: the monitor of {@code Holdings}, one per object, guards the amounts that the object
 * holds of its client's quotas. It is a leaf, held for a few additions; no thread holds it while
 * code of a driver or a client runs. Closes and cleanups wait for the callbacks, readers and makers
 * of objects; they hold no lock, and enter these waits into the wait-for graph.
 */
@NullMarked
package ib.core.internal.restrack;

import org.jspecify.annotations.NullMarked;
