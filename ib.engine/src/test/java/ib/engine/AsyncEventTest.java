package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbEvent;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.link.GuardLimits;
import ib.engine.port.HcaPort;
import ib.engine.time.Timer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every asynchronous event there is: provoked and heard once, or not raised, and then why. */
@DisplayName("issue 3, section 1: all events that an HCA raises (IBA 11.6.3)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncEventTest {
  private final Rig rig = Rig.two();

  @AfterEach
  void close() {
    rig.close();
  }

  private SendWr wr(WrOpcode op) {
    return new SendWr(1)
        .opcode(op)
        .flags(SendFlags.SIGNALED)
        .rkey(rig.b().mr.rkey())
        .remoteAddr(rig.b().mr.iova())
        .addSge(rig.a().mr.lkey(), rig.a().mr.iova(), 8);
  }

  private void post(SendWr wr) {
    assertEquals(PostStatus.OK, rig.a().qp.postSend(wr));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("one by one")
  void each(EventType type) {
    switch (type) {
      case CQ_ERR, QP_FATAL -> overrun(type);
      case QP_REQ_ERR -> {
        rig.connect(QpType.RC);
        rig.b().qp.modify(new QpAttr().state(QpState.RTS).accessFlags(0));
        post(wr(WrOpcode.RDMA_WRITE));
        heard(rig.b(), type, rig.b().qp);
      }
      case QP_ACCESS_ERR -> {
        rig.connect(QpType.RC);
        post(wr(WrOpcode.RDMA_WRITE).rkey(1));
        heard(rig.b(), type, rig.b().qp);
      }
      case COMM_EST -> established();
      case SQ_DRAINED -> {
        rig.connect(QpType.RC);
        rig.a().qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
        heard(rig.a(), type, rig.a().qp);
      }
      case SRQ_LIMIT_REACHED, QP_LAST_WQE_REACHED -> shared(type);
      case PORT_ACTIVE,
          PORT_ERR,
          LID_CHANGE,
          PKEY_CHANGE,
          SM_CHANGE,
          GID_CHANGE,
          CLIENT_REREGISTER,
          PORT_CHANGE ->
          port(type);
      case DEVICE_FATAL -> fatal();
      case SOURCE_MUTED -> muted();
      // not raised, and why
      case PATH_MIG, PATH_MIG_ERR -> {
        assertFalse(rig.a().device.has(Cap.AUTO_PATH_MIG));
        notRaised(type, "nothing migrates");
      }
      case SRQ_ERR ->
          notRaised(type, "a ring in memory cannot fail: posts to it are checked, or refused");
      case WQ_FATAL -> notRaised(type, "there are no receive work queues of their own");
      case DEVICE_SPEED_CHANGE ->
          notRaised(type, "speed and width of a port come with PORT_ACTIVE or PORT_CHANGE");
      case EVENT_OVERFLOW -> notRaised(type, "the core's: see DeviceEventsTest, ObjectEventsTest");
      case RESET_BEGIN, RESET_END ->
          notRaised(type, "a device is not reset but unplugged and plugged");
    }
  }

  /** Nothing of what brings the others brings it. */
  private static void notRaised(EventType type, String why) {
    List<EventType> others =
        List.of(
            EventType.CQ_ERR,
            EventType.QP_ACCESS_ERR,
            EventType.QP_LAST_WQE_REACHED,
            EventType.PORT_ACTIVE,
            EventType.DEVICE_FATAL);
    for (EventType other : others) {
      AsyncEventTest world = new AsyncEventTest();
      world.each(other);
      for (Rig.Side s : world.rig.sides) {
        assertFalse(s.device.heard(type) || s.unaffiliated.contains(type), why);
      }
      world.close();
    }
  }

  private static void heard(Rig.Side side, EventType type, Object element) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!side.device.heard(type) && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    List<IbEvent> all = side.device.events().stream().filter(e -> e.type() == type).toList();
    assertEquals(1, all.size(), type + " in " + side.device.events());
    assertEquals(element, all.getFirst().element());
  }

  private void overrun(EventType type) {
    rig.a().sendCq = rig.a().device.createCq(new CqInit(1));
    rig.connect(QpType.RC);
    post(wr(WrOpcode.RDMA_WRITE));
    post(wr(WrOpcode.RDMA_WRITE));
    heard(rig.a(), type, type == EventType.CQ_ERR ? rig.a().sendCq : rig.a().qp);
  }

  private void established() {
    rig.connect(QpType.RC);
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    b.qp.modify(new QpAttr().state(QpState.RESET));
    Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_1024);
    post(wr(WrOpcode.RDMA_WRITE));
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
    heard(b, EventType.COMM_EST, b.qp);
  }

  private void shared(EventType type) {
    Rig.Side b = rig.b();
    b.srq = b.pd.createSrq(new SrqInit(new SrqAttr(16, 2, 2), null, null));
    rig.connect(QpType.RC);
    for (int i = 0; i < 2; i++) {
      assertEquals(PostStatus.OK, b.srq.postReceive(i, b.mr.lkey(), b.mr.iova(), 8));
    }
    post(wr(WrOpcode.SEND));
    assertEquals(WcStatus.SUCCESS, Rig.await(b.recvCq).status());
    if (type == EventType.QP_LAST_WQE_REACHED) {
      b.qp.modify(new QpAttr().state(QpState.ERR));
    }
    heard(b, type, type == EventType.SRQ_LIMIT_REACHED ? b.srq : b.qp);
  }

  private void port(EventType type) {
    HcaPort p = rig.a().hca.port(1);
    rig.a().unaffiliated.clear();
    switch (type) {
      case PORT_ERR -> p.state(PortState.DOWN, PhysState.POLLING);
      case PORT_ACTIVE -> {
        p.state(PortState.DOWN, PhysState.POLLING);
        rig.a().unaffiliated.clear();
        p.state(PortState.INIT, PhysState.LINK_UP);
        p.state(PortState.ACTIVE, PhysState.LINK_UP);
        p.state(PortState.ACTIVE, PhysState.LINK_UP);
      }
      case LID_CHANGE -> {
        p.lid(9, 0);
        p.lid(9, 0);
      }
      case PKEY_CHANGE -> {
        p.pkeys(0x8001, 0x7fff);
        p.pkeys(0x8001, 0x7fff);
      }
      case GID_CHANGE -> p.gid(1, new Gid(1, 2));
      case SM_CHANGE -> p.update(b -> b.smLid(5));
      case PORT_CHANGE -> {
        p.update(b -> b.activeMtu(Mtu.MTU_512));
        p.update(b -> b.activeMtu(Mtu.MTU_512));
      }
      default -> p.clientReregister();
    }
    assertEquals(List.of(type), List.copyOf(rig.a().unaffiliated), "once, and nothing else");
  }

  /** See {@link GuardTest}. */
  private void muted() {
    rig.connect(QpType.UD);
    rig.b().hca.port(1).guard(new GuardLimits(1, 1L << 40, 0, 1L << 40));
    for (int i = 0; i < 2; i++) {
      SendWr wr = wr(WrOpcode.SEND).ah(rig.a().pd.createAh(AhAttr.ofLid(1, 2, 0)));
      post(wr.remoteQpn(rig.b().qp.qpn()).remoteQkey(5));
    }
    assertEquals(
        List.of(EventType.SOURCE_MUTED),
        List.copyOf(rig.b().unaffiliated).reversed().subList(0, 1));
  }

  /** An exception of a timer, also without memory, ends neither the worker nor the next timers. */
  private void fatal() {
    rig.connect(QpType.RC);
    CountDownLatch thrown = new CountDownLatch(2);
    CountDownLatch after = new CountDownLatch(1);
    rig.a().hca.startTimer(timer(() -> defect(thrown, new IllegalStateException("a defect"))));
    rig.a().hca.startTimer(timer(() -> defect(thrown, new OutOfMemoryError("heap"))));
    await(thrown);
    rig.a().hca.startTimer(timer(after::countDown));
    await(after);
    assertEquals(1, rig.a().unaffiliated.stream().filter(t -> t == EventType.DEVICE_FATAL).count());
    assertEquals(2, rig.a().hca.counters(1).get("worker_errors"));
    post(wr(WrOpcode.RDMA_WRITE));
    assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
    rig.a().hca.shutdown(); // returns
  }

  private static void defect(CountDownLatch latch, Throwable what) {
    latch.countDown();
    if (what instanceof Error e) {
      throw e;
    }
    throw (RuntimeException) what;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.MINUTES), "the worker goes on");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Timer timer(Runnable what) {
    return new Timer() {
      @Override
      protected long durationNs() {
        return 0;
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

  @ParameterizedTest
  @EnumSource(
      value = WrOpcode.class,
      names = {"SEND", "RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD", "ATOMIC_WRITE"})
  @DisplayName("F-14: overrun by any opcode: every queue pair of the queue in ERR, none of another")
  void overrunByAny(WrOpcode op) {
    Rig.Side a = rig.a();
    rig.connect(QpType.RC);
    var other = a.qp;
    a.sendCq = a.device.createCq(new CqInit(4));
    rig.connect(QpType.RC);
    var idle = a.qp;
    rig.connect(QpType.RC);
    for (int i = 0; i < 5; i++) {
      assertEquals(
          PostStatus.OK, rig.b().qp.postReceive(i, rig.b().mr.lkey(), rig.b().mr.iova(), 64));
      SendWr wr = wr(op).wrId(i);
      post(op == WrOpcode.ATOMIC_WRITE ? wr.clearSges() : wr);
    }
    heard(a, EventType.CQ_ERR, a.sendCq);
    assertEquals(QpState.ERR, a.qp.state());
    assertEquals(QpState.ERR, idle.state());
    assertEquals(QpState.RTS, other.state());
    for (int i = 0; i < 4; i++) {
      assertEquals(i, Rig.next(a.sendCq).wrId(), "what came before is there");
    }
    WorkCompletion[] none = {new WorkCompletion()};
    assertEquals(PostStatus.OVERRUN, a.sendCq.poll(none, 1));
    assertEquals(PostStatus.OVERRUN, a.sendCq.poll(none, 1), "lost for good");
  }

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC"})
  @DisplayName(
      "F-14: overrun by receives: CQ_ERR, the receiver is in ERR, what came before can be polled")
  void overrunByReceives(QpType type) {
    Rig.Side b = rig.b();
    b.recvCq = b.device.createCq(new CqInit(2));
    rig.connect(type);
    for (int i = 0; i < 3; i++) {
      assertEquals(PostStatus.OK, b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 64));
    }
    for (int i = 0; i < 3; i++) {
      post(wr(WrOpcode.SEND));
    }
    heard(b, EventType.CQ_ERR, b.recvCq);
    heard(b, EventType.QP_FATAL, b.qp);
    assertEquals(QpState.ERR, b.qp.state());
    assertEquals(0, Rig.next(b.recvCq).wrId());
    assertEquals(1, Rig.next(b.recvCq).wrId());
    assertEquals(PostStatus.OVERRUN, b.recvCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
  }

  @Test
  @DisplayName("a queue that is resized in time does not overrun; one that has overrun stays lost")
  void resizedInTime() {
    Rig.Side a = rig.a();
    a.sendCq = a.device.createCq(new CqInit(1));
    rig.connect(QpType.RC);
    post(wr(WrOpcode.RDMA_WRITE));
    a.sendCq.resize(3);
    post(wr(WrOpcode.RDMA_WRITE));
    assertFalse(a.device.heard(EventType.CQ_ERR));
    for (int i = 0; i < 4; i++) {
      a.qp.postSend(wr(WrOpcode.RDMA_WRITE));
    }
    heard(a, EventType.CQ_ERR, a.sendCq);
    int n = 0;
    while (a.sendCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1) == 1) {
      n++;
    }
    assertEquals(1 + a.sendCq.entries(), n, "one in the ring before");
    a.sendCq.resize(64);
    assertEquals(PostStatus.OVERRUN, a.sendCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
  }
}
