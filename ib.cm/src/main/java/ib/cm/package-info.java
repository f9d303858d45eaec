/**
 * Connections by the communication manager of InfiniBand and RoCE (IBA vol. 1 chapter 12). A {@link
 * ib.cm.CmClient} is a client of the core and a service; {@link ib.cm.CmClient#open} gives the
 * {@link ib.cm.CmPort} of a port, which listens and connects by service ID. The owner of the queue
 * pairs moves them, with {@link ib.cm.QpSteps}.
 *
 * <p>Any thread may call, also from a callback. Callbacks of a connection run one at a time on
 * virtual threads and may sleep; a connection has no thread of its own. Each connection gets
 * exactly one {@link ib.cm.CmEvent.Ended}, and after it one {@link ib.cm.CmEvent.Released}.
 *
 * <p>A datagram service has no connections: {@link ib.cm.CmPort#resolve} asks a port for the queue
 * pair of its service, and {@link ib.cm.CmPort#serve} answers (SIDR).
 *
 * <p>Locks: the monitor of {@code LocalPorts} guards which local ports are taken; a thread that
 * takes it may hold the lock of an {@code ib.cm.rdma.RdmaCm}, and takes none inside.
 */
@Version("1.0.0")
@Export
@NullMarked
package ib.cm;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
