/**
 * Resource tracking: one record per object (owner, place of creation, life, references), the table
 * of a device's objects for introspection, and the sweep that reports, destroys and poisons what a
 * client left behind (D2, CC-20). What a client may have is limited by quotas ({@link
 * ib.core.internal.restrack.Quota}), counted on its account.
 *
 * <p>No thread is owned here and no lock is held while driver or client code runs; life and
 * references of an object are one atomic word. The one lock is the monitor of {@code Holdings}, one
 * per object: a leaf, held for a few additions.
 */
@NullMarked
package ib.core.internal.restrack;

import org.jspecify.annotations.NullMarked;
