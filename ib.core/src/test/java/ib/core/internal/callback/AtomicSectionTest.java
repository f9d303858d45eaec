package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeQp;
import ib.core.testing.Objects7;
import ib.core.testing.SilentHandler;
import ib.core.testing.Wait;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbContractException;
import ib.core.verbs.MwType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.PortModify;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a callback may call, and what it may not. */
@DisplayName("S1-S11, S26, B24: atomic sections")
class AtomicSectionTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final Objects7 o = Objects7.of(device);

  @AfterEach
  void close() {
    device.sweepAndPoison();
    rig.close();
  }

  /** Runs something inside a completion handler and throws here what it threw. */
  private void inHandler(Runnable body) {
    CountDownLatch done = new CountDownLatch(1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CqInit init =
        new CqInit(
            16,
            (q, c) -> {
              try {
                body.run();
              } catch (Throwable e) {
                thrown.set(e);
              }
              done.countDown();
            },
            null);
    FakeCq cq = (FakeCq) device.createCq(init);
    cq.wake();
    Wait.on(done);
    cq.close();
    if (thrown.get() instanceof RuntimeException e) {
      throw e;
    }
    assertEquals(null, thrown.get());
  }

  private Map<String, Runnable> controlPath() {
    Gid group = new Gid(0xff12_0000_0000_0000L, 1);
    Map<String, Runnable> m = new LinkedHashMap<>();
    m.put("allocPd", device::allocPd);
    m.put("createCq", () -> device.createCq(new CqInit(1)));
    m.put("allocCq", () -> device.allocCq(1, 0, PollContext.DIRECT));
    m.put("queryPort", () -> device.queryPort(1));
    m.put("modifyPort", () -> device.modifyPort(1, new PortModify(0, 0, false, false)));
    m.put("registerEventHandler", () -> SilentHandler.register(device));
    m.put("unregisterEventHandler", () -> device.unregisterEventHandler(null));
    m.put("allocMemory", () -> o.pd().allocMemory(8, 8, Access.LOCAL_WRITE));
    m.put("registerMemory", () -> o.pd().registerMemory(o.mr().segment(), 0));
    m.put("allocFastRegistration", () -> o.pd().allocFastRegistration(1));
    m.put("allocWindow", () -> o.pd().allocWindow(MwType.TYPE_2));
    m.put("createAhSleepable", () -> o.pd().createAhSleepable(Objects7.ADDRESS)); // S11b
    m.put("createQp", () -> o.pd().createQp(new QpInit(QpType.RC, o.cq(), Objects7.CAP)));
    m.put("createSrq", () -> Objects7.srq(o.pd()));
    m.put("modify", () -> o.qp().modify(new QpAttr().state(QpState.RESET)));
    m.put("query", o.qp()::query);
    m.put("drain", o.qp()::drain);
    m.put("attachMulticast", () -> o.qp().attachMulticast(group, 0));
    m.put("detachMulticast", () -> o.qp().detachMulticast(group, 0));
    m.put("resize", () -> o.cq().resize(32));
    m.put("moderate", () -> o.cq().moderate(1, 1));
    m.put("srq.modify", () -> o.srq().modify(new SrqAttr(0, 0, 1)));
    m.put("reregister", () -> o.mr().reregister(null, 0));
    m.put("qp.close", o.qp()::close);
    m.put("mr.close", o.mr()::close);
    return m;
  }

  @Test
  @DisplayName("S1, S11b, S26, B24: every method that may sleep is refused in a completion handler")
  void s1ControlPathFromAHandler() {
    controlPath()
        .forEach(
            (name, call) -> {
              IbContractException e =
                  assertThrows(IbContractException.class, () -> inHandler(call), name);
              assertEquals("S26", e.clause(), name);
            });
    assertEquals(controlPath().size(), rig.contract().violationCount());
    assertEquals("ulp", rig.contract().violations().getFirst().culprit());
    assertEquals(7, rig.objects().live());
  }

  @Test
  @DisplayName("S1: without checking the same calls go to the driver")
  void s1WithoutChecking() {
    rig.contract().checking(false);
    inHandler(() -> device.allocPd().close());
    assertEquals(0, rig.contract().violationCount());
  }

  @Test
  @DisplayName("S2-S5, S11: address handles are made, changed, read and destroyed in a handler")
  void s2AddressHandlesFromAHandler() {
    inHandler(
        () -> {
          AddressHandle ah = o.pd().createAh(Objects7.ADDRESS);
          ah.modify(Objects7.ADDRESS);
          assertEquals(Objects7.ADDRESS, ah.query());
          ah.close();
        });
    assertEquals(0, rig.contract().violationCount());
  }

  @Test
  @DisplayName(
      "S6-S9, B4: a handler polls, arms again, posts and destroys an AH, all on its own queue")
  void b4HandlerUsesTheDataPath() {
    AtomicReference<FakeQp> qp = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(3);
    WorkCompletion[] wc = {new WorkCompletion()};
    CqInit init =
        new CqInit(
            16,
            (q, c) -> {
              while (q.poll(wc, 1) == 1) {
                done.countDown();
              }
              q.requestNotify(NotifyFlags.NEXT_COMP);
              qp.get().postReceive(new RecvWr(1));
              if (done.getCount() > 0) {
                qp.get().postSend(new SendWr(1)); // completes at once, into this very queue
              }
              o.pd().createAh(Objects7.ADDRESS).close();
            },
            null);
    FakeCq cq = (FakeCq) device.createCq(init);
    qp.set((FakeQp) o.pd().createQp(new QpInit(QpType.RC, cq, Objects7.CAP)));
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    qp.get().postSend(new SendWr(1));
    Wait.on(done);
    assertEquals(0, rig.contract().violationCount());
  }

  @Test
  @DisplayName("S26: event handlers are atomic sections")
  void s26EventHandlersAreAtomic() {
    AtomicReference<Boolean> atomic = new AtomicReference<>();
    QpInit init =
        new QpInit(QpType.RC, o.cq(), Objects7.CAP)
            .withEventHandler((e, c) -> atomic.set(Contract.inAtomic()), null);
    ((FakeQp) o.pd().createQp(init)).event(EventType.COMM_EST);
    Wait.until(() -> atomic.get() != null);
    assertTrue(atomic.get());
    assertFalse(Contract.inAtomic());
  }

  @Test
  @DisplayName("S26, 5.5: done() is atomic on DIRECT and EVENT_LOOP, not on WORKQUEUE and UNBOUND")
  void s26PollContexts() {
    for (PollContext context : PollContext.values()) {
      FakeCq cq = (FakeCq) device.allocCq(16, 0, context);
      AtomicReference<Boolean> atomic = new AtomicReference<>();
      cq.complete(
          new WorkCompletion()
              .status(WcStatus.SUCCESS)
              .cqe((q, wc) -> atomic.set(Contract.inAtomic())));
      cq.processDirect(1);
      Wait.until(() -> atomic.get() != null);
      boolean expected = context == PollContext.DIRECT || context == PollContext.EVENT_LOOP;
      assertEquals(expected, atomic.get(), context.name());
      cq.close();
    }
  }
}
