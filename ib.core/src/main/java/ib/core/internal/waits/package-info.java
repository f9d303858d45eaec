/**
 * The one wait-for graph of a midlayer (B15, contract 2.6-4).
 *
 * <p>No thread is owned here. One leaf lock guards the waits and, besides, the book of the hot-plug
 * machine: nothing else is locked and nobody else's code runs while it is held.
 */
@NullMarked
package ib.core.internal.waits;

import org.jspecify.annotations.NullMarked;
