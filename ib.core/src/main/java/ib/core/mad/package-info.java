/**
 * Management datagrams: an {@link ib.core.mad.MadAgent} sends requests on QP0 or QP1 of a port,
 * gets the responses by transaction identifier, and the requests of others by class and method;
 * longer messages go by RMPP. The layer is the first of all clients (S41): it is there before any
 * other is added and after every other was removed.
 *
 * <p>The core owns the threads: one ordered executor per port does the protocol, each agent's
 * callbacks run one at a time on a pool of threads where they may sleep. Any thread may call in,
 * also from a callback; the core never calls back on the caller's stack.
 *
 * <p>Text: IBA vol. 1 chapter 13, 14 (subnet management), 13.6 (RMPP).
 */
@Version("1.0.0")
@Export
package ib.core.mad;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
