/**
 * The packet way, requests out (IBA vol. 1 section 9.7.2 ff.): {@code Requester} turns send
 * requests into packets, {@code Completer} takes the answers, completes requests in order and
 * decides what is sent again. Their fields are those of {@link ib.engine.qp.SendState}. Only the
 * thread that holds the queue pair's claim ({@link ib.engine.run.ClaimToken}) may call in. No
 * locks.
 */
@NullMarked
package ib.engine.packet.send;

import org.jspecify.annotations.NullMarked;
