/**
 * The packets of a capture between two queue pairs as a sequence diagram. The writer thread of the
 * capture adds; threads of the HTTP service start, stop and draw.
 */
@NullMarked
package ib.web.ladder;

import org.jspecify.annotations.NullMarked;
