/**
 * The connection manager of a port whose QP1 belongs to the host: service IDs of RDMA CM's port
 * spaces become addresses and ports of the host's connection manager, through the device's {@link
 * ib.core.cm.Connector}.
 *
 * <p>Any thread may call. The state of a connection changes by one atomic step each; the sets of a
 * share are concurrent.
 *
 * <p>Locks: the monitor of {@code LinkListener} guards its addresses, and is held while the host
 * begins or ends to listen, which waits for no peer; no other lock is taken inside.
 */
@NullMarked
package ib.cm.internal.link;

import org.jspecify.annotations.NullMarked;
