package ib.kit;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Checks a failing request of a reliable connection (IBA 10.7.2, 10.10.2): the requests before it
 * succeed, the request fails with its status, the requests after it are flushed in order, each
 * once, and both queue pairs are in the right state.
 */
final class Failure {
  private static final long CANARY = 0x5a5a_5a5a_5a5a_5a5aL;

  private final Pair pair;
  private final WcStatus status;
  private QpState peerState = QpState.RTS;
  private @Nullable EventType peerEvent;
  private boolean late;

  private Failure(Pair pair, WcStatus status) {
    this.pair = pair;
    this.status = status;
  }

  /** Makes the check of a request that fails at the requester and sends the peer nothing. */
  static Failure local(Pair pair, WcStatus status) {
    return new Failure(pair, status);
  }

  /** Makes the check of a request that the responder refuses, going to ERR itself. */
  static Failure remote(Pair pair, WcStatus status, @Nullable EventType event) {
    Failure f = new Failure(pair, status);
    f.peerState = QpState.ERR;
    f.peerEvent = event;
    return f;
  }

  /**
   * Allows the failure to be found only when the response arrives: requests sent after it may have
   * been executed, although they complete as flushed.
   */
  Failure late() {
    late = true;
    return this;
  }

  /** Posts it between a good request and two that must be flushed, one of them unsignaled. */
  void of(SendWr bad) {
    End a = pair.a;
    pair.b.mr.segment().set(ValueLayout.JAVA_LONG, 0, CANARY);
    SendWr good = a.wr(WrOpcode.RDMA_WRITE, 1, 0, 16, pair.b, 1024);
    SendWr after = a.wr(WrOpcode.RDMA_WRITE, 3, 0, 16, pair.b, 0);
    SendWr last = a.wr(WrOpcode.SEND, 4, 0, 16).flags(0);
    a.send(good.next(bad.wrId(2).next(after.next(last))));
    Await.success(a.sendCq, 1);
    Await.status(a.sendCq, 2, status);
    Await.status(a.sendCq, 3, WcStatus.WR_FLUSH_ERR);
    WorkCompletion wc = Await.status(a.sendCq, 4, WcStatus.WR_FLUSH_ERR);
    Assertions.assertEquals(a.qp.qpn(), wc.qpn(), "the queue pair is valid on failures too");
    Assertions.assertEquals(QpState.ERR, a.qp.state(), "the requester's state");
    Await.until("the peer in " + peerState, () -> pair.b.qp.state() == peerState);
    if (peerEvent != null) {
      pair.b.awaitEvent(peerEvent);
    }
    if (!late) {
      long is = pair.b.mr.segment().get(ValueLayout.JAVA_LONG, 0);
      Assertions.assertEquals(CANARY, is, "nothing after it was executed");
    }
    Await.empty(a.sendCq, "each request completes once");
  }
}
