/**
 * Connections of IP over InfiniBand: connection manager messages on QP1, crossing requests,
 * retries, idle connections and limits (IBA vol. 1 chapter 12, RFC 4755). Connections are used on
 * the loop's thread of their interface only. The interfaces of a port share one {@link
 * ib.ulp.ipoib.cm.CmPort}, which any thread may call.
 */
@NullMarked
package ib.ulp.ipoib.cm;

import org.jspecify.annotations.NullMarked;
