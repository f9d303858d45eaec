/**
 * Connections by address and port, as Linux's RDMA CM makes them: {@link ib.cm.rdma.RdmaCm#connect}
 * and {@link ib.cm.rdma.RdmaCm#listen}, for connections and for datagram services, and {@link
 * ib.cm.rdma.RdmaCm#join} for multicast groups; the peer may be a Linux program that uses
 * librdmacm. The program makes the queue pairs, and this package moves them through their states.
 *
 * <p>Any thread that may sleep may call, also from every callback of this package. What an event or
 * completion handler may call as well says so ({@code @AnyContext}). Callbacks of one connection,
 * and of one listener, run one at a time on virtual threads and may sleep; a connection has no
 * thread of its own. Each connection ends exactly once.
 *
 * <p>Locks: the lock of {@code Life} guards the state of a connection, and is held while its queue
 * pair is moved. The monitor of {@code RdmaRequest} guards the answer of a request; the lock of
 * {@code Connections} guards a program's devices, services and connections. Each of them is held
 * while {@code ib.cm} is called, and none nests another one of these. The monitor of {@code Group}
 * guards where a queue pair is attached; a thread that takes it may hold the lock of {@code Life},
 * and takes none inside. The same is true of the monitor of {@code Paths}, which guards the path
 * records. No lock is held during a callback.
 *
 * <p>IBA annex A11.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.cm.rdma;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
