/**
 * The packets of a capture between two queue pairs as a sequence diagram. The writer thread of the
 * capture adds; threads of the HTTP service start, stop and draw.
 *
 * <p>Locks: the monitor of {@code LadderScreen} guards which recording there is, and is held while
 * one is started or ended; that of {@code Recording} guards its packets, and nests nothing.
 */
@NullMarked
package ib.web.ladder;

import org.jspecify.annotations.NullMarked;
