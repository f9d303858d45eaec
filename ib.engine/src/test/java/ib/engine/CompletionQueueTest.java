package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CompletionQueueTest {

  private static int write(Rig rig, long id, int flags) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(id).wrFlags(flags);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    return a.qp.wrComplete();
  }

  private static AtomicInteger counting(CompletionQueue cq) {
    AtomicInteger calls = new AtomicInteger();
    cq.connect(
        new CompletionNotifier() {
          @Override
          public void notifyCompletion(CompletionQueue which) {
            calls.incrementAndGet();
          }

          @Override
          public int processDirect(CompletionQueue which, int budget) {
            return 0;
          }
        });
    return calls;
  }

  @Test
  @DisplayName(
      "IBA 10.8.5: outstanding until polled, so who polls never overruns; unsignaled is free")
  void outstandingUntilPolled() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      rig.connect(QpType.RC, 4, 14, 7, 7);
      WorkCompletion[] wc = {new WorkCompletion()};
      for (int i = 0; i < 100; i++) {
        assertEquals(PostStatus.OK, write(rig, i, 0), "its slot is free when it is done");
      }
      for (int i = 0; i < 4; i++) {
        assertEquals(PostStatus.OK, write(rig, i, SendFlags.SIGNALED));
      }
      for (int i = 4; i < 8; i++) {
        assertEquals(
            PostStatus.QUEUE_FULL, write(rig, i, SendFlags.SIGNALED), "all done, none polled");
        assertEquals(1, a.sendCq.poll(wc, 1));
        assertEquals(PostStatus.OK, write(rig, i, SendFlags.SIGNALED));
      }
      for (int i = 0; i < 4; i++) {
        assertEquals(
            PostStatus.OK, rig.b().qp.postReceive(i, rig.b().mr.lkey(), rig.b().mr.iova(), 8));
      }
      assertEquals(4, poll(a.sendCq, 4));
      for (int i = 0; i < 4; i++) {
        a.qp.wrStart();
        a.qp.wrSend();
        assertEquals(PostStatus.OK, a.qp.wrComplete());
      }
      assertEquals(
          PostStatus.QUEUE_FULL,
          rig.b().qp.postReceive(4, rig.b().mr.lkey(), rig.b().mr.iova(), 8));
      assertEquals(4, poll(rig.b().recvCq, 4));
      assertEquals(
          PostStatus.OK, rig.b().qp.postReceive(4, rig.b().mr.lkey(), rig.b().mr.iova(), 8));
    }
  }

  private static int poll(CompletionQueue cq, int most) {
    WorkCompletion[] wc = new WorkCompletion[most];
    Arrays.setAll(wc, i -> new WorkCompletion());
    return cq.poll(wc, most);
  }

  @Test
  @DisplayName("IBA 10.8.2: overrun is CQ_ERR, the queue pairs go to ERR, nothing is overwritten")
  void overrun() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      a.sendCq = a.device.createCq(new CqInit(4));
      rig.connect(QpType.RC);
      for (int i = 0; i < 4; i++) {
        assertEquals(PostStatus.OK, write(rig, i, SendFlags.SIGNALED));
      }
      assertFalse(a.device.heard(EventType.CQ_ERR));
      write(rig, 4, SendFlags.SIGNALED);
      assertTrue(a.device.heard(EventType.CQ_ERR));
      assertTrue(a.device.heard(EventType.QP_FATAL));
      assertEquals(QpState.ERR, a.qp.state());
      WorkCompletion[] wc = {new WorkCompletion()};
      for (int i = 0; i < 4; i++) {
        assertEquals(1, a.sendCq.poll(wc, 1));
        assertEquals(i, wc[0].wrId());
      }
      assertEquals(PostStatus.OVERRUN, a.sendCq.poll(wc, 1));
      assertEquals(1, a.device.events().stream().filter(e -> e.type() == EventType.CQ_ERR).count());
    }
  }

  @Test
  @DisplayName(
      "S9: armed once, called once; SOLICITED waits for solicited or failed; missed is returned")
  void notification() {
    try (Rig rig = Rig.two()) {
      rig.connect(QpType.RC);
      CompletionQueue cq = rig.b().recvCq;
      AtomicInteger calls = counting(cq);
      for (int i = 0; i < 20; i++) {
        rig.b().qp.postReceive(i, rig.b().mr.lkey(), rig.b().mr.iova(), 8);
      }
      assertEquals(0, cq.requestNotify(NotifyFlags.SOLICITED));
      send(rig, 0);
      assertEquals(0, calls.get(), "not solicited");
      send(rig, SendFlags.SOLICITED);
      assertEquals(1, calls.get());
      send(rig, SendFlags.SOLICITED);
      assertEquals(1, calls.get(), "not armed any more");
      assertEquals(0, cq.requestNotify(NotifyFlags.NEXT_COMP), "missed ones only when asked");
      assertEquals(1, cq.requestNotify(NotifyFlags.SOLICITED | NotifyFlags.REPORT_MISSED_EVENTS));
      send(rig, 0);
      assertEquals(2, calls.get(), "NEXT_COMP is not weakened by SOLICITED");
      assertEquals(PostStatus.INVALID, cq.requestNotify(NotifyFlags.REPORT_MISSED_EVENTS));
      cq.requestNotify(NotifyFlags.SOLICITED);
      rig.b().qp.modify(new QpAttr().state(QpState.ERR));
      assertEquals(3, calls.get(), "an error wakes SOLICITED too");
    }
  }

  private static void send(Rig rig, int flags) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrFlags(flags);
    a.qp.wrSend();
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
  }

  @Test
  @DisplayName("B7: arm and poll against a producer: no completion is ever slept through")
  void noLostWakeup() throws InterruptedException {
    try (Rig rig = Rig.two()) {
      rig.connect(QpType.RC);
      CompletionQueue cq = rig.a().sendCq;
      AtomicInteger calls = counting(cq);
      int total = 100_000;
      AtomicInteger done = new AtomicInteger();
      CountDownLatch producing = new CountDownLatch(1);
      Thread producer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < total; i++) {
                      while (i - done.get() > 2
                          || write(rig, i, SendFlags.SIGNALED) != PostStatus.OK) {
                        Thread.yield();
                      }
                    }
                    producing.countDown();
                  });
      WorkCompletion[] wc = {new WorkCompletion(), new WorkCompletion()};
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (done.get() < total) {
        int before = calls.get();
        cq.requestNotify(NotifyFlags.NEXT_COMP);
        int n = cq.poll(wc, 2);
        if (n > 0) {
          done.addAndGet(n);
          continue;
        }
        while (calls.get() == before && done.get() < total) { // asleep until called
          assertTrue(System.nanoTime() < end, "slept through " + done.get());
          Thread.yield();
        }
      }
      assertTrue(producing.await(10, TimeUnit.MINUTES));
      producer.join();
    }
  }

  @Test
  @DisplayName("S18, S19: many pollers: each completion once, in one call's result in order")
  void manyPollers() throws InterruptedException {
    try (Rig rig = Rig.two()) {
      pollers(rig, 50_000, false);
    }
  }

  @Test
  @DisplayName("S18: resize under traffic loses and doubles nothing")
  void resizeUnderTraffic() throws InterruptedException {
    try (Rig rig = Rig.two()) {
      pollers(rig, 50_000, true);
    }
  }

  private static void post(Rig rig, QueuePair qp, int base, int each, AtomicInteger polled) {
    Rig.Side a = rig.a();
    for (int i = 0; i < each; ) {
      qp.wrStart();
      qp.wrId(base + i).wrFlags(SendFlags.SIGNALED);
      qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      boolean room = i < polled.get() / 2 + 1000;
      if (room && qp.wrComplete() == PostStatus.OK) {
        i++;
      } else {
        qp.wrAbort();
        Thread.yield();
      }
    }
  }

  /**
   * S19: which call gets what is not said, but what one call gets of a queue pair is in the order
   * of its requests.
   */
  private static void take(
      Rig.Side a,
      int batch,
      AtomicInteger polled,
      AtomicIntegerArray seen,
      AtomicInteger unordered) {
    WorkCompletion[] wc = new WorkCompletion[batch];
    for (int i = 0; i < batch; i++) {
      wc[i] = new WorkCompletion();
    }
    while (polled.get() < seen.length()) {
      int n = a.sendCq.poll(wc, batch);
      for (int i = 0; i < n; i++) {
        int id = (int) wc[i].wrId();
        seen.incrementAndGet(id);
        for (int j = 0; j < i; j++) {
          boolean before = wc[j].qpn() != wc[i].qpn() || wc[j].wrId() < id;
          unordered.addAndGet(before ? 0 : 1);
        }
      }
      if (n > 0) {
        polled.addAndGet(n);
      } else {
        Thread.yield();
      }
    }
  }

  private static void pollers(Rig rig, int each, boolean resize) throws InterruptedException {
    Rig.Side a = rig.a();
    rig.connect(QpType.RC);
    var first = a.qp;
    rig.connect(QpType.RC);
    var second = a.qp;
    AtomicIntegerArray seen = new AtomicIntegerArray(2 * each);
    AtomicInteger polled = new AtomicInteger();
    AtomicInteger unordered = new AtomicInteger();
    Thread[] threads = new Thread[5];
    for (int p = 0; p < 2; p++) {
      var qp = p == 0 ? first : second;
      int base = p * each;
      threads[p] = Thread.ofPlatform().start(() -> post(rig, qp, base, each, polled));
    }
    for (int t = 2; t < 5; t++) {
      int batch = 15 * t - 29;
      threads[t] = Thread.ofPlatform().start(() -> take(a, batch, polled, seen, unordered));
    }
    for (int size = 4096; resize && threads[0].isAlive(); size = size == 4096 ? 8192 : 4096) {
      a.sendCq.resize(size);
    }
    for (Thread t : threads) {
      t.join(TimeUnit.MINUTES.toMillis(5));
      assertFalse(t.isAlive(), "stuck at " + polled.get());
    }
    BitSet wrong = new BitSet();
    for (int i = 0; i < 2 * each; i++) {
      wrong.set(i, seen.get(i) != 1);
    }
    assertTrue(wrong.isEmpty(), "not exactly once: " + wrong);
    assertEquals(0, unordered.get(), "pairs in one call's result that are the wrong way round");
  }

  @Test
  @DisplayName("CQ resize keeps what waits, refuses fewer entries than wait, and makes room")
  void resize() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      a.sendCq = a.device.createCq(new CqInit(4));
      rig.connect(QpType.RC);
      for (int i = 0; i < 4; i++) {
        write(rig, i, SendFlags.SIGNALED);
      }
      assertThrows(IbInvalidException.class, () -> a.sendCq.resize(3));
      a.sendCq.resize(16);
      assertEquals(16, a.sendCq.entries());
      for (int i = 4; i < 10; i++) {
        write(rig, i, SendFlags.SIGNALED);
      }
      int n = 0;
      if (a.sendCq.startPoll()) { // the lazy form crosses the boundary
        do {
          assertEquals(n++, a.sendCq.wrId());
        } while (a.sendCq.nextPoll());
        a.sendCq.endPoll();
      }
      assertEquals(10, n);
      a.sendCq.close();
    } catch (IbBusyException inUse) {
      assertTrue(inUse.getMessage().contains("users"));
    }
  }

  @Test
  @DisplayName("B21: a queue that is gone says GONE")
  void gone() {
    try (Rig rig = Rig.two()) {
      CompletionQueue cq = rig.a().device.createCq(new CqInit(4));
      cq.close();
      assertEquals(PostStatus.GONE, cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
      assertEquals(PostStatus.GONE, cq.requestNotify(NotifyFlags.NEXT_COMP));
      assertFalse(cq.startPoll());
    }
  }
}
