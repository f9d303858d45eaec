/**
 * Connections of IP over InfiniBand: the messages of the connection manager on QP1, which end of a
 * crossing pair yields, retries, idle ends, the limit. Everything runs on the loop of the
 * interface; only {@link ib.ulp.ipoib.cm.CmPort} is shared by the interfaces of a port and may be
 * called from any thread (IBA vol. 1 chapter 12, RFC 4755).
 */
@NullMarked
package ib.ulp.ipoib.cm;

import org.jspecify.annotations.NullMarked;
