package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.engine.qp.HcaConfig;
import ib.engine.time.Timer;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A16: a claim that a thread never gives back. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClaimHeldTest {

  private static String refused(Future<?> call) throws Exception {
    Throwable why = assertThrows(Exception.class, call::get).getCause();
    assertEquals(IbTimedOutException.class, why.getClass(), "" + why);
    return why.getMessage();
  }

  @Test
  @DisplayName("A16: every wait for it ends, and names the thread; memory that may be in use stays")
  void bounded() throws Exception {
    Rig rig = Rig.two().connect(QpType.RC);
    Rig.Side a = rig.a();
    Thread.currentThread().setName("holder of the claim");
    Probe.hold(a.qp);
    MemoryRegion own = a.pd.allocMemory(4096, 4096, Access.LOCAL_WRITE);
    MemorySegment memory = own.segment();
    try (Arena arena = Arena.ofShared();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      MemoryRegion users = a.pd.registerMemory(arena.allocate(64), Access.LOCAL_WRITE);
      Future<?> modify = threads.submit(() -> a.qp.modify(new QpAttr().state(QpState.ERR)));
      Future<?> query = threads.submit(() -> a.qp.query());
      Future<?> region = threads.submit(own::close);
      Future<?> other = threads.submit(users::close);
      for (Future<?> call : new Future<?>[] {modify, query, region, other}) {
        String text = refused(call);
        assertTrue(text.contains("holder of the claim"), text);
      }
      memory.set(ValueLayout.JAVA_INT, 0, 1); // it was not freed
      assertEquals(QpState.RTS, a.qp.state());
      assertFalse(Probe.dead(a.qp));
      Future<?> close = threads.submit(a.qp::close);
      refused(close);
      assertTrue(Probe.dead(a.qp), "the thread inside finds it destroyed");
      Probe.letGo(a.qp);
      assertTrue(Probe.free(a.qp));
      threads.shutdown();
      assertTrue(threads.awaitTermination(10, TimeUnit.MINUTES));
    }
    rig.close();
  }

  @Test
  @DisplayName("A16: a caller that is stuck in the control path: those behind it end, too")
  void behindAnother() throws Exception {
    try (Rig rig = Rig.two().connect(QpType.RC);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      Rig.Side a = rig.a();
      Runnable goOn = Probe.holdControl(a.qp);
      Future<?> modify = threads.submit(() -> a.qp.modify(new QpAttr().state(QpState.ERR)));
      Future<?> query = threads.submit(() -> a.qp.query());
      refused(modify);
      refused(query);
      assertEquals(QpState.RTS, a.qp.state());
      goOn.run();
      assertEquals(QpState.RTS, a.qp.query().state());
    }
  }

  @Test
  @DisplayName("A16: what came while the control path waited in vain is done by who gives it back")
  void goesOn() throws Exception {
    try (Rig rig = Rig.two().connect(QpType.RC);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      Rig.Side a = rig.a();
      Probe.hold(a.qp);
      Future<?> modify = threads.submit(() -> a.qp.modify(new QpAttr().state(QpState.ERR)));
      a.qp.wrStart();
      a.qp.wrId(5).wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
      assertEquals(0, a.qp.wrComplete());
      refused(modify);
      Rig.assertEmpty(a.sendCq);
      Probe.letGo(a.qp);
      assertEquals(5, Rig.await(a.sendCq).wrId());
    }
  }

  @Test
  @DisplayName(
      "A16: a completion queue overruns while one of its queue pairs goes: the others run on")
  void overrunAtTheEnd() {
    VirtualClock clock = new VirtualClock();
    HcaConfig[] two = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
    try (Rig rig = new Rig(clock, false, 1, 4096, two)) {
      Rig.Side a = rig.a();
      QueuePair[] pairs = new QueuePair[4];
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] = a.pd.createQp(Rig.init(a, QpType.RC, 8));
        Rig.bringUp(a, pairs[i], rig.b().lid(), rig.b().lid(), 1, 7, 7);
        for (int n = 0; n < 8; n++) {
          assertEquals(0, pairs[i].postReceive(n, a.mr.lkey(), a.mr.iova(), 8));
        }
      }
      for (QueuePair going : pairs) {
        going.close(); // its receives are more than the queue has entries
        for (QueuePair qp : pairs) {
          assertTrue(Probe.free(qp), "the claim of " + qp);
        }
      }
    }
  }

  @Test
  @DisplayName("A16: a timer throws: what the timers before it have claimed is run and given back")
  void timerThrows() {
    VirtualClock clock = new VirtualClock();
    HcaConfig[] two = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
    try (Rig rig = new Rig(clock, false, 1, 4096, two)) {
      rig.connect(QpType.RC);
      Rig.Side a = rig.a();
      a.hca.startTimer(timer(1, () -> Probe.wake(a.qp, a.hca.timerContext())));
      a.hca.startTimer(timer(2, () -> sneak(new LinkageError("planted"))));
      rig.settle();
      assertTrue(Probe.free(a.qp));
      clock.advance(3);
      assertThrows(LinkageError.class, a.hca::step);
      assertTrue(Probe.free(a.qp), "its claim");
    }
  }

  private static void sneak(Error planted) {
    throw planted;
  }

  private static Timer timer(long afterNs, Runnable what) {
    return new Timer() {
      @Override
      protected long durationNs() {
        return afterNs;
      }

      @Override
      protected void expired() {
        what.run();
      }

      @Override
      public boolean cancelled() {
        return false;
      }
    };
  }

  @Test
  @DisplayName("A16: a device goes although one of its claims does not come back")
  void removal() {
    Rig rig = Rig.two().connect(QpType.RC);
    Probe.hold(rig.a().qp);
    String text = assertThrows(IbTimedOutException.class, rig.a().hca::shutdown).getMessage();
    assertTrue(text.contains(String.format("0x%06x", rig.a().qp.qpn())), text);
    rig.b().hca.shutdown();
  }
}
