package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendWr;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Drivers that call handlers where or when they must not. */
@DisplayName("S20-S24: broken drivers are caught")
class GuardTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final ProtectionDomain pd = device.allocPd();
  private final List<Thread> calledOn = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    device.sweepAndPoison();
    rig.close();
  }

  private CompletionQueue armed() {
    CompletionQueue cq =
        device.createCq(new CqInit(64, (q, c) -> calledOn.add(Thread.currentThread()), null));
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    return cq;
  }

  private QueuePair queuePair(CompletionQueue cq) {
    QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    return qp;
  }

  private Violation onlyViolation() {
    List<Violation> all = rig.contract().violations();
    assertEquals(1, all.size(), all.toString());
    return all.getFirst();
  }

  @Test
  @DisplayName("S21: the completion handler called from post_send (siw, cxgb4: B6)")
  void s21HandlerInThePostChain() {
    rig.fake().callsHandlersDirectly = true;
    QueuePair qp = queuePair(armed());
    assertEquals(0, qp.postSend(new SendWr(1)));
    Wait.until(() -> calledOn.size() == 1);
    assertNotEquals(Thread.currentThread(), calledOn.getFirst());
    Violation v = onlyViolation();
    assertEquals("S20", v.clause());
    assertEquals("ib.core.testing", v.culprit());
    assertTrue(v.text().contains("FakeQp.postSend"), v.text());
    assertTrue(v.stack().stream().anyMatch(f -> f.contains("GuardTest.s21")), v.stack().toString());
  }

  @Test
  @DisplayName("S20: the completion handler called from modify (flush)")
  void s20HandlerInTheModifyChain() {
    rig.fake().callsHandlersDirectly = true;
    QueuePair qp = queuePair(armed());
    qp.postReceive(1, 0, 0, 0);
    qp.modify(new QpAttr().state(QpState.ERR));
    Wait.until(() -> calledOn.size() == 1);
    assertEquals("S20", onlyViolation().clause());
    assertTrue(onlyViolation().text().contains("FakeQp.doModify"), onlyViolation().text());
  }

  @Test
  @DisplayName("S20, S21: the event handler called from modify (rdmavt)")
  void s20EventHandlerInTheModifyChain() {
    rig.fake().callsEventHandlersDirectly = true;
    CompletionQueue cq = device.createCq(new CqInit(16));
    QpInit init =
        new QpInit(QpType.RC, cq, Objects7.CAP)
            .withSrq(Objects7.srq(pd))
            .withEventHandler((e, c) -> calledOn.add(Thread.currentThread()), null);
    QueuePair qp = pd.createQp(init);
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.modify(new QpAttr().state(QpState.ERR));
    Wait.until(() -> rig.mirrored().size() == 1);
    assertEquals(EventType.QP_LAST_WQE_REACHED, rig.mirrored().getFirst().type());
    assertEquals("ib-fake0-async", calledOn.getFirst().getName());
    assertEquals("S20", onlyViolation().clause());
  }

  @Test
  @DisplayName("S22: on a thread of its own a driver may call the handler")
  void s22OwnThreadIsFine() {
    FakeCq cq = (FakeCq) armed();
    Wait.end(Wait.start(cq::callHandler));
    assertEquals("test-helper", calledOn.getFirst().getName());
    assertEquals(List.of(), rig.contract().violations());
  }

  @Test
  @DisplayName("S23, S24: two handlers at once are caught, and the second wake-up is not lost (B5)")
  void s24TwoAtOnce() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    FakeCq cq =
        (FakeCq)
            device.createCq(
                new CqInit(
                    16,
                    (q, c) -> {
                      assertEquals(1, running.incrementAndGet());
                      inside.countDown();
                      Wait.on(go);
                      running.decrementAndGet();
                      runs.incrementAndGet();
                    },
                    null));
    Future<?> first = Wait.start(cq::callHandler);
    Wait.on(inside);
    cq.callHandler(); // returns: it does not run here
    Violation v = onlyViolation();
    assertEquals("S24", v.clause());
    assertTrue(
        v.otherStack().stream().anyMatch(f -> f.contains("GuardTest.lambda")),
        v.otherStack().toString());
    assertEquals(0, runs.get());
    go.countDown();
    Wait.end(first);
    Wait.until(() -> runs.get() == 2);
    assertEquals(0, rig.contract().handlerExceptions());
  }

  @Test
  @DisplayName("S20: without checking the driver's call runs where it is; nothing is reported")
  void withoutChecking() {
    rig.contract().checking(false);
    rig.fake().callsHandlersDirectly = true;
    queuePair(armed()).postSend(new SendWr(1));
    assertEquals(List.of(Thread.currentThread()), calledOn);
    assertEquals(List.of(), rig.contract().violations());
  }

  @Test
  @DisplayName("D2: the same violation at the same place is logged once and counted")
  void toldOnce() {
    rig.fake().callsHandlersDirectly = true;
    CompletionQueue cq = armed();
    QueuePair qp = queuePair(cq);
    for (int i = 1; i <= 3; i++) {
      int calls = i;
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      qp.postSend(new SendWr(1));
      Wait.until(() -> calledOn.size() == calls);
    }
    assertEquals(1, rig.contract().violations().size());
    assertEquals(3, rig.contract().violationCount());
  }
}
