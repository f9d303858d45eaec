package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.ring.Race;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * B20: every accepted request completes exactly once, in order, whatever happens to its queue pair.
 */
class FlushTest {
  private static final int IDS = 4096;

  private enum End {
    MODIFY,
    DESTROY,
    SHUTDOWN
  }

  @Test
  @DisplayName("B20: sends and receives waiting at modify(ERR) are flushed in order, each once")
  void modifyToError() {
    try (Rig rig = Rig.two().connect(QpType.RC, 32, 14, 7, 7)) {
      Rig.Side a = rig.a();
      rig.wire.loses(p -> true);
      for (int i = 0; i < 10; i++) {
        assertEquals(PostStatus.OK, send(a, a.qp, i, i % 2 * SendFlags.SIGNALED));
        assertEquals(PostStatus.OK, a.qp.postReceive(100 + i, a.mr.lkey(), a.mr.iova(), 8));
      }
      a.qp.modify(new QpAttr().state(QpState.ERR));
      for (int i = 0; i < 10; i++) {
        WorkCompletion s = Rig.next(a.sendCq);
        assertEquals(i, s.wrId());
        assertEquals(WcStatus.WR_FLUSH_ERR, s.status());
        assertEquals(a.qp.qpn(), s.qpn(), "valid on failures too");
        assertEquals(100 + i, Rig.next(a.recvCq).wrId());
      }
      Rig.assertEmpty(a.sendCq);
      Rig.assertEmpty(a.recvCq);
      assertEquals(PostStatus.OK, send(a, a.qp, 50, 0), "in ERR posts are accepted and flushed");
      assertEquals(50, Rig.next(a.sendCq).wrId());
      assertEquals(PostStatus.OK, a.qp.postReceive(51, a.mr.lkey(), a.mr.iova(), 8));
      assertEquals(51, Rig.next(a.recvCq).wrId());
      a.qp.drain();
    }
  }

  @Test
  @DisplayName("IBA 10.3.1.2: RESET discards without completions; the queue pair is as new")
  void reset() {
    try (Rig rig = Rig.two().connect(QpType.RC, 32, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      rig.wire.loses(p -> true);
      for (int i = 0; i < 10; i++) {
        send(a, a.qp, i, SendFlags.SIGNALED);
        a.qp.postReceive(100 + i, a.mr.lkey(), a.mr.iova(), 8);
      }
      a.qp.modify(new QpAttr().state(QpState.RESET));
      b.qp.modify(new QpAttr().state(QpState.RESET));
      assertEquals(PostStatus.INVALID, send(a, a.qp, 0, 0));
      assertEquals(PostStatus.INVALID, a.qp.postReceive(0, a.mr.lkey(), a.mr.iova(), 8));
      Rig.assertEmpty(a.sendCq);
      Rig.assertEmpty(a.recvCq);
      rig.wire.loses(null);
      Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 14, 7, 7);
      Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 14, 7, 7);
      b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 8);
      send(a, a.qp, 7, SendFlags.SIGNALED);
      assertEquals(7, Rig.await(a.sendCq).wrId());
      assertEquals(1, Rig.await(b.recvCq).wrId());
    }
  }

  @Test
  @DisplayName(
      "IBA 10.3.1.5: SQD finishes what was begun, holds the rest, says SQ_DRAINED, goes on in RTS")
  void sqd() {
    try (Rig rig = Rig.two().connect(QpType.RC, 32, 14, 7, 7)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      send(a, a.qp, 0, SendFlags.SIGNALED); // receiver not ready: begun
      a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
      send(a, a.qp, 1, SendFlags.SIGNALED); // held
      assertTrue(!a.device.heard(EventType.SQ_DRAINED));
      b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 8);
      b.qp.postReceive(2, b.mr.lkey(), b.mr.iova(), 8);
      assertEquals(0, Rig.await(a.sendCq).wrId());
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (!a.device.heard(EventType.SQ_DRAINED)) {
        assertTrue(System.nanoTime() < end);
        Thread.yield();
      }
      Rig.assertEmpty(a.sendCq);
      assertEquals(QpState.SQD, a.qp.state());
      a.qp.modify(new QpAttr().state(QpState.RTS));
      assertEquals(1, Rig.await(a.sendCq).wrId());
    }
  }

  @Test
  @DisplayName(
      "IBA 11.6.3.1: a queue pair on an SRQ says QP_LAST_WQE_REACHED; limit and COMM_EST come once")
  void srqEvents() {
    try (Rig rig = Rig.two()) {
      Rig.Side b = rig.b();
      b.srq = b.pd.createSrq(new SrqInit(new SrqAttr(16, 2, 3), null, null));
      rig.connect(QpType.RC, 32, 14, 7, 7);
      Rig.Side a = rig.a();
      assertEquals(PostStatus.INVALID, b.qp.postReceive(0, b.mr.lkey(), b.mr.iova(), 8));
      for (int i = 0; i < 4; i++) {
        assertEquals(PostStatus.OK, b.srq.postReceive(i, b.mr.lkey(), b.mr.iova(), 8));
      }
      for (int i = 0; i < 4; i++) {
        send(a, a.qp, i, SendFlags.SIGNALED);
        assertEquals(i, Rig.await(b.recvCq).wrId());
      }
      long limits =
          b.device.events().stream().filter(e -> e.type() == EventType.SRQ_LIMIT_REACHED).count();
      assertEquals(1, limits);
      assertEquals(0, b.srq.query().srqLimit());
      b.qp.modify(new QpAttr().state(QpState.ERR));
      assertTrue(b.device.heard(EventType.QP_LAST_WQE_REACHED));
      RecvWr tooMany = new RecvWr(3).addSge(0, 0, 1).addSge(0, 0, 1).addSge(0, 0, 1);
      assertEquals(PostStatus.INVALID, b.srq.postReceive(tooMany));
      assertEquals(tooMany, tooMany.badWr());
    }
  }

  @Test
  @DisplayName("IBA 11.6.3.1: COMM_EST comes with the first packet in RTR, once")
  void communicationEstablished() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      b.qp.modify(new QpAttr().state(QpState.RESET));
      a.qp.modify(new QpAttr().state(QpState.RESET));
      Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_1024);
      Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 14, 7, 7);
      for (int i = 0; i < 3; i++) {
        b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 8);
        send(a, a.qp, i, SendFlags.SIGNALED);
        Rig.await(a.sendCq);
      }
      long n = b.device.events().stream().filter(e -> e.type() == EventType.COMM_EST).count();
      assertEquals(1, n);
      assertEquals(QpState.RTR, b.qp.state());
    }
  }

  @Test
  @DisplayName("D4: after shutdown nothing is accepted and nothing is left")
  void shutdown() {
    Rig rig = Rig.two().connect(QpType.RC, 32, 14, 7, 7);
    Rig.Side a = rig.a();
    send(a, a.qp, 0, SendFlags.SIGNALED);
    a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 8);
    a.hca.shutdown();
    assertEquals(WcStatus.WR_FLUSH_ERR, Rig.next(a.sendCq).status());
    assertEquals(WcStatus.WR_FLUSH_ERR, Rig.next(a.recvCq).status());
    assertEquals(PostStatus.GONE, send(a, a.qp, 0, 0));
    assertEquals(PostStatus.GONE, a.qp.postReceive(1, a.mr.lkey(), a.mr.iova(), 8));
    assertEquals(PostStatus.GONE, a.qp.postSend(new SendWr(1)));
    rig.close();
  }

  @Test
  @DisplayName("B20: posters against modify(ERR): posted == completed, 1,000 times")
  void racesModify() throws InterruptedException {
    races(End.MODIFY, 1_000);
  }

  @Test
  @DisplayName("B20, B21: posters against destroy: posted == completed, 1,000 times")
  void racesDestroy() throws InterruptedException {
    races(End.DESTROY, 1_000);
  }

  @Test
  @DisplayName("B20, D4: posters against shutdown of the device: posted == completed, 300 times")
  void racesShutdown() throws InterruptedException {
    for (int i = 0; i < 300; i++) {
      try (Rig rig = Rig.two()) {
        round(rig, End.SHUTDOWN, i);
      }
    }
  }

  private static void races(End end, int rounds) throws InterruptedException {
    try (Rig rig = Rig.two()) {
      for (int i = 0; i < rounds; i++) {
        round(rig, end, i);
      }
    }
  }

  private static int send(Rig.Side s, QueuePair qp, long id, int flags) {
    qp.wrStart();
    qp.wrId(id).wrFlags(flags);
    qp.wrSend();
    qp.wrSetSge(s.mr.lkey(), s.mr.iova(), 8);
    return qp.wrComplete();
  }

  /** Two send posters (lists of 1 to 3), one receive poster, the peer's sender, and the end. */
  private static void round(Rig rig, End end, int seed) throws InterruptedException {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    a.sendCq = a.device.createCq(new CqInit(2 * IDS));
    a.recvCq = a.device.createCq(new CqInit(IDS));
    rig.connect(QpType.RC, 16, 14, 7, 7);
    QueuePair qp = a.qp;
    QueuePair peer = b.qp;
    AtomicIntegerArray sends = new AtomicIntegerArray(2 * IDS); // accepted: 1, completed: +2
    AtomicIntegerArray receives = new AtomicIntegerArray(IDS);
    AtomicInteger running = new AtomicInteger();
    Throwable failure =
        Race.run(
            5,
            Race.HANG_S,
            (me, race) -> {
              switch (me) {
                case 0, 1 -> postSends(a, qp, me * IDS, sends, running);
                case 2 -> postReceives(a, qp, receives, running);
                case 3 -> {
                  for (int i = 0; i < 200; i++) {
                    b.qp.postReceive(0, b.mr.lkey(), b.mr.iova(), 8);
                    send(b, peer, i, 0);
                  }
                }
                default -> {
                  while (running.get() < seed % 200) {
                    race.pause();
                  }
                  end(a, qp, end);
                }
              }
            });
    assertEquals(null, failure);
    if (end == End.MODIFY) {
      qp.drain();
    }
    count(a.sendCq, sends);
    count(a.recvCq, receives);
    for (int i = 0; i < 2 * IDS; i++) {
      assertTrue(sends.get(i) == 0 || sends.get(i) == 3, "send " + i + ": " + sends.get(i));
    }
    for (int i = 0; i < IDS; i++) {
      assertTrue(
          receives.get(i) == 0 || receives.get(i) == 3, "receive " + i + ": " + receives.get(i));
    }
    peer.close();
    if (end != End.SHUTDOWN) {
      qp.close();
      a.sendCq.close();
      a.recvCq.close();
    }
  }

  private static void end(Rig.Side a, QueuePair qp, End how) {
    switch (how) {
      case MODIFY -> qp.modify(new QpAttr().state(QpState.ERR));
      case DESTROY -> qp.close();
      case SHUTDOWN -> a.hca.shutdown();
    }
  }

  private static void postSends(
      Rig.Side a, QueuePair qp, int base, AtomicIntegerArray accepted, AtomicInteger running) {
    SendWr[] wrs = new SendWr[3];
    for (int i = 0; i < 3; i++) {
      wrs[i] = new SendWr(1);
    }
    for (int i = 0; i < 300; ) {
      int n = 1 + i % 3;
      SendWr next = null;
      for (int k = n - 1; k >= 0; k--) {
        wrs[k]
            .wrId(base + i + k)
            .flags(SendFlags.SIGNALED)
            .clearSges()
            .addSge(a.mr.lkey(), a.mr.iova(), 8)
            .next(next);
        next = wrs[k];
      }
      if (qp.postSend(wrs[0]) == PostStatus.OK) {
        for (int k = 0; k < n; k++) {
          accepted.addAndGet(base + i + k, 1);
        }
      }
      running.incrementAndGet();
      i += n;
    }
  }

  private static void postReceives(
      Rig.Side a, QueuePair qp, AtomicIntegerArray accepted, AtomicInteger running) {
    for (int i = 0; i < 300; i++) {
      if (qp.postReceive(i, a.mr.lkey(), a.mr.iova(), 8) == PostStatus.OK) {
        accepted.addAndGet(i, 1);
      }
      running.incrementAndGet();
    }
  }

  private static void count(CompletionQueue cq, AtomicIntegerArray completed) {
    WorkCompletion[] wc = {new WorkCompletion()};
    long last = -1;
    while (cq.poll(wc, 1) == 1) {
      completed.addAndGet((int) wc[0].wrId(), 2);
      if (completed.length() == IDS) {
        assertTrue(wc[0].wrId() > last, "in order");
        last = wc[0].wrId();
      }
    }
  }
}
