package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeQp;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbContractException;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When close has returned, no callback of the object runs or will run. */
@DisplayName("B8, B21, I4: fences")
class FenceTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicBoolean returned = new AtomicBoolean();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    go.countDown();
    device.sweepAndPoison();
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().doubleDestroys());
    rig.close();
  }

  private void stay() {
    runs.incrementAndGet();
    inside.countDown();
    Wait.on(go);
    returned.set(true);
  }

  /** Closes while the callback is inside, lets it go, and checks that close waited. */
  private void closeWaits(AutoCloseable object) {
    CountDownLatch closing = new CountDownLatch(1);
    Future<?> closer =
        Wait.start(
            () -> {
              closing.countDown();
              try {
                object.close();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              assertTrue(returned.get(), "close returned before the callback");
            });
    Wait.on(closing);
    go.countDown();
    Wait.end(closer);
  }

  @Test
  @DisplayName("B8: closing a queue waits for its running handler, and none runs afterwards")
  void b8CompletionHandler() {
    FakeCq cq = (FakeCq) device.createCq(new CqInit(16, (q, c) -> stay(), null));
    cq.wake();
    Wait.on(inside);
    closeWaits(cq);
    cq.wake();
    cq.callHandler();
    CountDownLatch behind = new CountDownLatch(1); // same vector: whatever was queued has run
    ((FakeCq) device.createCq(new CqInit(1, (q, c) -> behind.countDown(), null))).wake();
    Wait.on(behind);
    assertEquals(1, runs.get());
    assertEquals(0, rig.contract().violationCount());
  }

  @Test
  @DisplayName(
      "B8: closing a queue pair waits for its running event handler; nothing is to be acknowledged")
  void b8EventHandler() {
    CompletionQueue cq = device.createCq(new CqInit(16));
    QpInit init = new QpInit(QpType.RC, cq, Objects7.CAP).withEventHandler((e, c) -> stay(), null);
    FakeQp qp = (FakeQp) device.allocPd().createQp(init);
    qp.event(EventType.COMM_EST);
    Wait.on(inside);
    closeWaits(qp);
    qp.event(EventType.QP_FATAL);
    ((FakeCq) cq).error(); // mirrored by the same thread: whatever was queued has run
    Wait.until(() -> rig.mirrored().stream().anyMatch(e -> e.type() == EventType.CQ_ERR));
    assertEquals(1, runs.get());
  }

  @Test
  @DisplayName("I4: a sweep waits for callbacks, but not for ever; who does not return is named")
  void i4SweepNamesTheStuckCallback() {
    BoundDevice hasty = rig.bind("hasty", TimeUnit.MILLISECONDS.toNanos(20));
    FakeCq cq = (FakeCq) hasty.createCq(new CqInit(16, (q, c) -> stay(), null));
    cq.wake();
    Wait.on(inside);
    assertEquals(1, hasty.sweepAndPoison().size());
    assertEquals(List.of("S32"), rig.clauses());
    assertEquals("hasty", rig.contract().violations().getFirst().culprit());
    assertEquals(0, rig.fake().live());
  }

  @Test
  @DisplayName("B21, S26: a queue closed in its own handler is refused while checking")
  void b21CloseInOwnHandlerChecked() {
    AtomicReference<Throwable> thrown = closeInHandler();
    assertTrue(thrown.get() instanceof IbContractException, String.valueOf(thrown.get()));
    assertEquals(1, rig.fake().live());
  }

  @Test
  @DisplayName(
      "B21: without checking it is closed; the fence is deferred to the handler's return, and reported")
  void b21CloseInOwnHandlerUnchecked() {
    rig.contract().checking(false);
    AtomicReference<Throwable> thrown = closeInHandler();
    assertEquals(null, thrown.get());
    assertEquals(0, rig.fake().live());
    assertEquals(List.of("S26"), rig.clauses());
  }

  private AtomicReference<Throwable> closeInHandler() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    CqInit init =
        new CqInit(
            16,
            (q, c) -> {
              try {
                q.close();
                q.close();
              } catch (RuntimeException e) {
                thrown.set(e);
              }
              runs.incrementAndGet();
              done.countDown();
            },
            null);
    FakeCq cq = (FakeCq) device.createCq(init);
    cq.wake();
    Wait.on(done);
    return thrown;
  }

  @Test
  @DisplayName("B21: done() that may sleep closes its queue pair, then its own queue")
  void b21CloseInDone() {
    FakeCq cq = (FakeCq) device.allocCq(16, 0, PollContext.UNBOUND);
    QueuePair qp = device.allocPd().createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    CountDownLatch done = new CountDownLatch(1);
    cq.complete(
        new WorkCompletion()
            .status(WcStatus.SUCCESS)
            .cqe(
                (q, wc) -> {
                  qp.close();
                  q.close();
                  done.countDown();
                }));
    cq.complete(
        new WorkCompletion().status(WcStatus.SUCCESS).cqe((q, wc) -> runs.incrementAndGet()));
    Wait.on(done);
    cq.wake();
    assertFalse(cq.control().isLive());
    Wait.until(() -> !rig.clauses().isEmpty());
    assertEquals(List.of("S26"), rig.clauses());
  }

  @Test
  @DisplayName("B21: a queue is closed between startPoll, nextPoll and endPoll")
  void b21CloseInsideAPollBatch() {
    FakeCq cq = (FakeCq) device.createCq(new CqInit(16));
    cq.complete(1);
    cq.complete(2);
    assertTrue(cq.startPoll());
    assertEquals(1, cq.wrId());
    cq.close();
    assertFalse(cq.nextPoll());
    cq.endPoll();
    assertFalse(cq.startPoll());
    assertEquals(PostStatus.GONE, cq.poll(new WorkCompletion[1], 1));
  }

  @Test
  @DisplayName(
      "2.6-4: two callbacks that close each other's queue do not wait for ever; one is refused")
  void twoCallbacksCloseEachOther() {
    FakeCq one = (FakeCq) device.allocCq(16, 0, PollContext.UNBOUND);
    FakeCq two = (FakeCq) device.allocCq(16, 1, PollContext.UNBOUND);
    CyclicBarrier both = new CyclicBarrier(2);
    CountDownLatch done = new CountDownLatch(2);
    one.complete(closing(two, both, done));
    two.complete(closing(one, both, done));
    Wait.on(done);
    Wait.until(() -> rig.fake().live() == 0);
    assertEquals(List.of("S26"), rig.clauses());
  }

  private static WorkCompletion closing(FakeCq other, CyclicBarrier both, CountDownLatch done) {
    return new WorkCompletion()
        .status(WcStatus.SUCCESS)
        .cqe(
            (q, wc) -> {
              try {
                both.await(10, TimeUnit.MINUTES);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              other.close();
              done.countDown();
            });
  }

  @Test
  @DisplayName("I4: who is still in a callback whose fence was deferred, is named by the sweep")
  void i4SweepNamesWhatWasDeferred() {
    BoundDevice hasty = rig.bind("hasty", TimeUnit.MILLISECONDS.toNanos(20));
    FakeCq cq = (FakeCq) hasty.allocCq(16, 0, PollContext.WORKQUEUE);
    cq.complete(
        new WorkCompletion()
            .status(WcStatus.SUCCESS)
            .cqe(
                (q, wc) -> {
                  q.close();
                  stay();
                }));
    Wait.on(inside);
    assertEquals(List.of(), hasty.sweepAndPoison());
    assertEquals(List.of("S26", "I4"), rig.clauses());
    Violation v = rig.contract().violations().getLast();
    assertEquals("hasty", v.culprit());
    assertTrue(v.text().startsWith("the callback of CQ 0 of fake0 of hasty"), v.text());
    assertTrue(v.otherStack().stream().anyMatch(f -> f.contains("FenceTest.stay")));
  }
}
