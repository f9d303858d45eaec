package ib.cm;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;

/**
 * The attributes with which the owner of a reliable connected queue pair moves it. Each side begins
 * to send with the PSN that the <em>other</em> side has named.
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
    return new QpAttr()
        .state(QpState.RTR)
        .av(path.way())
        .pathMtu(path.mtu())
        .destQpn(peer.qpn())
        .rqPsn(mine.startingPsn())
        .maxDestRdAtomic(mine.responderResources())
        .minRnrTimer(RNR_TIMER);
  }

  /** {@return RTR to RTS} */
  public static QpAttr rts(CmEndpoint mine, CmEndpoint peer, CmTerms terms) {
    return new QpAttr()
        .state(QpState.RTS)
        .sqPsn(peer.startingPsn())
        .timeout(terms.ackTimeout())
        .retryCount(terms.retryCount())
        .rnrRetry(peer.rnrRetry())
        .maxRdAtomic(Math.min(mine.initiatorDepth(), peer.responderResources()));
  }
}
