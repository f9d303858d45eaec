/**
 * Connections of IP over InfiniBand, as a client of {@code ib.cm}: which requests are believed, who
 * yields when two cross, idle connections and limits (IBA vol. 1 chapter 12, RFC 4755). Connections
 * are used on the loop's thread of their interface only; the connection manager's callbacks hand
 * their events to the loop and return.
 */
@NullMarked
package ib.ulp.ipoib.cm;

import org.jspecify.annotations.NullMarked;
