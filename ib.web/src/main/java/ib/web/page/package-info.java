/**
 * The frame of all screens: markup whose texts are escaped, the parameters of a request, and the
 * streams by which open pages follow what happens. Threads of the HTTP service call.
 *
 * <p>Locks: the monitor of {@code Streams} guards their number and the number of changes; the
 * streams wait on it.
 */
@NullMarked
package ib.web.page;

import org.jspecify.annotations.NullMarked;
