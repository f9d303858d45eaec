/**
 * The packet way, requests in (IBA vol. 1 sections 9.7.4, 9.8): {@code ConnectedResponder} executes
 * and answers what comes in sequence, {@code DatagramReceiver} takes datagrams. Their fields are
 * those of {@link ib.engine.qp.ReceiveState}. Only the thread that holds the queue pair's claim
 * ({@link ib.engine.run.ClaimToken}) may call in. No locks.
 */
@NullMarked
package ib.engine.packet.receive;

import org.jspecify.annotations.NullMarked;
