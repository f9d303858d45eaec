package ib.cm;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;

/**
 * The attributes with which the owner of a connected queue pair moves it, by the type of the queue
 * pair: what an unreliable one has not (reads, retries, timers) is left out, since a queue pair
 * refuses attributes of another type (IBA 10.3.1). Each side begins to send with the PSN that the
 * <em>other</em> side has named.
 */
public final class QpSteps {
  /** RNR timer 0.64 ms; 0 would be 655 ms (RD-9). */
  private static final int RNR_TIMER = 12;

  private QpSteps() {}

  /** {@return RESET to INIT} */
  public static QpAttr init(CmPath path, int access) {
    return new QpAttr()
        .state(QpState.INIT)
        .pkeyIndex(path.pkeyIndex())
        .port(path.way().port())
        .accessFlags(access);
  }

  /** {@return INIT to RTR, when the peer's queue pair is known} */
  public static QpAttr rtr(CmPath path, CmEndpoint mine, CmEndpoint peer) {
    QpAttr attr =
        new QpAttr()
            .state(QpState.RTR)
            .av(path.way())
            .pathMtu(path.mtu())
            .destQpn(peer.qpn())
            .rqPsn(mine.startingPsn());
    return switch (mine.type()) {
      case RC, XRC_TGT -> attr.maxDestRdAtomic(mine.responderResources()).minRnrTimer(RNR_TIMER);
      default -> attr;
    };
  }

  /** {@return RTR to RTS} */
  public static QpAttr rts(CmEndpoint mine, CmEndpoint peer, CmTerms terms) {
    QpAttr attr = new QpAttr().state(QpState.RTS).sqPsn(peer.startingPsn());
    return switch (mine.type()) {
      case RC, XRC_INI ->
          attr.timeout(terms.ackTimeout())
              .retryCount(terms.retryCount())
              .rnrRetry(peer.rnrRetry())
              .maxRdAtomic(Math.min(mine.initiatorDepth(), peer.responderResources()));
      case XRC_TGT -> attr.timeout(terms.ackTimeout());
      default -> attr;
    };
  }
}
