package ib.engine.qp;

import ib.engine.wire.PacketQueue;
import ib.engine.wire.PacketWait;

/**
 * The packets of a queue pair: those that have arrived, and those that it sends. Made with the
 * first packet, so that a queue pair whose requests need none has no such object. Any thread may
 * use the queues; only the thread that holds the queue pair's claim takes packets.
 */
public final class Packets {
  /** Requests of the peer that have arrived. */
  public final PacketQueue requests = new PacketQueue();

  /** Responses of the peer that have arrived. */
  public final PacketQueue responses = new PacketQueue();

  public final PacketPool requestPool;
  public final PacketPool responsePool;

  /** Whether the queue pair waits for one of its packets. */
  public final PacketWait wait = new PacketWait();

  Packets(QpCore qp) {
    HcaConfig config = qp.hca.config();
    requestPool = new PacketPool(qp, config.requestPackets(), QpCore.REQUEST_FAULT);
    responsePool = new PacketPool(qp, config.responsePackets(), QpCore.RESPONSE_FAULT);
  }

  /** {@return whether nothing has arrived; for the holder of the claim} */
  boolean isEmpty() {
    return requests.isEmpty() && responses.isEmpty();
  }

  /** {@return whether no packet is under way; any thread} */
  boolean isIdle() {
    return requestPool.idle() && responsePool.idle();
  }
}
