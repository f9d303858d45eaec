package ib.ulp.ipoib.link;

import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QueuePair;
import ib.ulp.ipoib.cm.Connection;
import ib.ulp.ipoib.cm.RcEnd;
import org.jspecify.annotations.Nullable;

/** The queue pair of one connection, which uses the queues of an {@link RcQueue}. */
final class RcPair implements RcEnd {
  private static final int READS = 4; // C2: as the REQ says
  private static final int RNR_TIMER = 12; // has no effect, because peers do not retry (C2)

  final Connection connection;
  final QueuePair qp;
  int sends; // outstanding
  boolean last;
  long closedNs;
  volatile boolean lastReached; // set by the event handler, on any thread
  private final RcQueue queue;
  private final int psn = QueuePair.randomPsn();
  private boolean connected;
  private @Nullable LocalEnds local;
  private LocalEnds.@Nullable End own;
  private LocalEnds.@Nullable End peer;
  private boolean whole;

  RcPair(RcQueue queue, Connection connection) {
    this.queue = queue;
    this.connection = connection;
    qp =
        queue.createQp(
            (event, context) -> {
              if (event.type() == EventType.QP_LAST_WQE_REACHED) {
                lastReached = true;
                queue.wake();
              }
            });
  }

  /** Makes the end known to its peer when it connects, because its host accepts whole packets. */
  void joins(LocalEnds ends, Gid gid) {
    local = ends;
    own = new LocalEnds.End(gid, qpn());
  }

  /** {@return whether both ends are in this JVM and accept whole packets (D9)} */
  boolean whole() {
    if (!whole && local != null && own != null && peer != null) {
      whole = local.joined(own, peer);
    }
    return whole;
  }

  @Override
  public int qpn() {
    return qp.qpn();
  }

  @Override
  public int psn() {
    return psn;
  }

  @Override
  public void connect(AhAttr way, Mtu mtu, int ackTimeout, int peerQpn, int firstPsn) {
    qp.modify(
        new QpAttr()
            .state(QpState.INIT)
            .pkeyIndex(queue.pkeyIndex)
            .port(queue.port)
            .accessFlags(0));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(way)
            .pathMtu(mtu)
            .destQpn(peerQpn)
            .rqPsn(psn)
            .maxDestRdAtomic(READS)
            .minRnrTimer(RNR_TIMER));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(firstPsn)
            .timeout(ackTimeout)
            .retryCount(0) // C2: RFC 4755 warns against retries below IP
            .rnrRetry(0)
            .maxRdAtomic(READS));
    connected = true;
    if (local != null && own != null) {
      peer = new LocalEnds.End(connection.peer().gid(), peerQpn);
      local.add(own, peer);
    }
  }

  @Override
  public void close() {
    if (local != null && own != null) {
      local.remove(own);
    }
    if (connected) {
      // C5: QP_LAST_WQE_REACHED follows when the last receive has completed
      try {
        qp.modify(new QpAttr().state(QpState.ERR));
      } finally {
        queue.closing(this); // destroyed when it is late, if the device refuses
      }
    } else {
      queue.destroy(this);
    }
  }
}
