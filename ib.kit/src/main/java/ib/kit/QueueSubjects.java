package ib.kit;

import ib.core.verbs.Gid;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import org.junit.jupiter.api.Assertions;

/** The queues of work requests that the reentrancy cases put under two threads. */
final class QueueSubjects {
  private QueueSubjects() {}

  static Subject.Live qp(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC));
    End a = p.a;
    Account sends = new Account();
    Account receives = new Account();
    return new Subject.Live()
        .method(
            "postSend",
            () -> {
              SendWr wr = a.wr(WrOpcode.RDMA_WRITE, 0, 0, 8, p.b, 0);
              Subjects.usual(sends.post(id -> a.qp.postSend(wr.wrId(id))));
              sends.take(a.sendCq, Account.batch(4));
            })
        .method(
            "builder",
            () -> {
              SendWr wr = a.wr(WrOpcode.RDMA_WRITE, 0, 0, 8, p.b, 64);
              Subjects.usual(sends.post(id -> Form.BUILDER.post(a.qp, wr.wrId(id))));
              sends.take(a.sendCq, Account.batch(4));
            })
        .method(
            "postReceive",
            () -> Subjects.usual(receives.post(id -> a.qp.postReceive(id, a.lkey(), a.addr(), 8))))
        .method(
            "postReceive list",
            () -> {
              RecvWr wr = new RecvWr(1).addSge(a.lkey(), a.addr(), 8);
              Subjects.usual(receives.post(id -> a.qp.postReceive(wr.wrId(id))));
            })
        .method(
            "query",
            () -> {
              QpAttr q = a.qp.query();
              Assertions.assertEquals(p.b.qp.qpn(), q.destQpn());
              Assertions.assertTrue(
                  q.state() == QpState.RTS || !a.qp.control().isLive(), () -> "" + q.state());
            })
        .method("modify", () -> a.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Shape.ALL)))
        .finish(
            () -> {
              if (a.qp.control().isLive()) {
                a.error();
              }
              sends.settle(a.sendCq).assertExact();
              receives.settle(a.recvCq).assertExact();
            })
        .close(a.qp::close);
  }

  static Subject.Live ud(Trial t) {
    Pair p = t.pair(Shape.of(QpType.UD));
    End a = p.a;
    Account sends = new Account();
    Gid group = new Gid(0xff12_401b_ffff_0000L, 0x4711L);
    Gid other = new Gid(0xff12_401b_ffff_0000L, 0x4712L);
    Thread[] first = {null};
    return new Subject.Live()
        .method(
            "postSend",
            () -> {
              SendWr wr = p.aim(a.wr(WrOpcode.SEND, 0, 0, 8), t);
              Subjects.usual(sends.post(id -> a.qp.postSend(wr.wrId(id))));
              sends.take(a.sendCq, Account.batch(4));
            })
        .method(
            "multicast",
            () -> {
              Gid mine;
              synchronized (first) {
                first[0] = first[0] == null ? Thread.currentThread() : first[0];
                mine = Thread.currentThread().equals(first[0]) ? group : other;
              }
              a.qp.attachMulticast(mine, 0xc123);
              a.qp.detachMulticast(mine, 0xc123);
            })
        .method("query", () -> Assertions.assertEquals(End.QKEY, a.qp.query().qkey()))
        .method("modify", () -> a.qp.modify(new QpAttr().state(QpState.RTS).qkey(End.QKEY)))
        .finish(() -> sends.settle(a.sendCq).assertExact())
        .close(a.qp::close);
  }

  static Subject.Live srq(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC).withSrq());
    End b = p.b;
    SharedReceiveQueue srq = b.srq;
    Assertions.assertNotNull(srq);
    Account receives = new Account();
    WorkCompletion[] batch = Account.batch(4);
    return new Subject.Live()
        .method(
            "postReceive",
            () -> Subjects.usual(receives.post(id -> srq.postReceive(id, b.lkey(), b.addr(), 8))))
        .method(
            "postReceive list",
            () -> {
              RecvWr wr = new RecvWr(1).addSge(b.lkey(), b.addr(), 8);
              Subjects.usual(receives.post(id -> srq.postReceive(wr.wrId(id))));
            })
        .method("query", () -> Assertions.assertTrue(srq.query().maxWr() >= Shape.DEPTH))
        .method("modify", () -> srq.modify(new SrqAttr(0, 0, 2)))
        .finish(
            () -> {
              if (!srq.control().isLive()) {
                return; // discarded with the queue
              }
              // what was accepted is there, each once: the peer uses it all up
              int n = receives.open();
              for (int i = 0; i < n; i++) {
                p.a.send(p.a.wr(WrOpcode.SEND, i, 0, 8));
                Await.success(p.a.sendCq, i);
                Await.until("a receive", () -> receives.take(b.recvCq, batch) > 0);
              }
              receives.assertExact();
              Assertions.assertEquals(n, receives.succeeded());
            })
        .close(
            () -> {
              b.qp.close();
              srq.close();
            });
  }
}
