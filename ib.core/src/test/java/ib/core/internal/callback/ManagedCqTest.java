package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Cqe;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queues that the core polls. */
@DisplayName("5.1, S25: managed completion queues")
class ManagedCqTest {
  private static final int REQUESTS = 3_000;

  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void close() {
    device.sweepAndPoison();
    assertEquals(0, rig.fake().live());
    rig.close();
  }

  private static WorkCompletion completion(Cqe cqe) {
    return new WorkCompletion().status(WcStatus.SUCCESS).cqe(cqe);
  }

  @ParameterizedTest
  @EnumSource(
      value = PollContext.class,
      names = {"EVENT_LOOP", "WORKQUEUE", "UNBOUND"})
  @DisplayName("S24, S25: done() of every request, once, one at a time, on the context's thread")
  void s24DoneOncePerRequest(PollContext context) {
    FakeCq cq = (FakeCq) device.allocCq(4096, 1, context);
    QueuePair qp = device.allocPd().createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    Set<String> threads = new ConcurrentSkipListSet<>();
    Cqe cqe =
        (q, wc) -> {
          overlaps.addAndGet(running.incrementAndGet() - 1);
          threads.add(Thread.currentThread().getName().replaceAll("[0-9]+$", "*"));
          done.incrementAndGet();
          running.decrementAndGet();
        };
    Runnable poster =
        () -> {
          SendWr wr = new SendWr(1).cqe(cqe);
          for (int i = 0; i < REQUESTS / 2; i++) {
            assertEquals(0, qp.postSend(wr));
          }
        };
    var other = Wait.start(poster);
    poster.run();
    Wait.end(other);
    Wait.until(() -> done.get() == REQUESTS);
    assertEquals(0, overlaps.get());
    String thread =
        switch (context) {
          case EVENT_LOOP -> "ib-fake0-comp-*";
          case WORKQUEUE -> "ib-comp-wq-*";
          default -> "ib-comp-unb-*";
        };
    assertEquals(Set.of(thread), threads);
    assertEquals(0, rig.contract().violationCount());
  }

  @Test
  @DisplayName(
      "5.1: DIRECT polls in the caller, as many as asked for, never by itself, never inside itself")
  void directPollsInTheCaller() {
    FakeCq cq = (FakeCq) device.allocCq(64, 0, PollContext.DIRECT);
    AtomicInteger done = new AtomicInteger();
    AtomicInteger nested = new AtomicInteger(-1);
    for (int i = 0; i < 20; i++) {
      cq.complete(
          completion(
              (q, wc) -> {
                done.incrementAndGet();
                nested.set(q.processDirect(1));
              }));
    }
    cq.wake();
    assertEquals(0, done.get());
    assertEquals(5, cq.processDirect(5));
    assertEquals(5, done.get());
    assertEquals(0, nested.get());
    assertEquals(15, cq.processDirect(100));
    assertEquals(0, cq.processDirect(100));
    cq.close();
    assertEquals(PostStatus.GONE, cq.processDirect(1));
  }

  @Test
  @DisplayName("5.1: processDirect of another queue is EINVAL")
  void directOfAnotherQueue() {
    assertEquals(PostStatus.INVALID, device.allocCq(1, 0, PollContext.UNBOUND).processDirect(1));
    assertEquals(PostStatus.INVALID, device.createCq(new CqInit(1)).processDirect(1));
    CqInit raw = new CqInit(1, (q, c) -> {}, null);
    assertEquals(PostStatus.INVALID, device.createCq(raw).processDirect(1));
  }

  @Test
  @DisplayName("5.1: a busy queue gives its vector away after 256 completions")
  void budgetLetsOthersRun() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    FakeCq gate =
        (FakeCq)
            device.createCq(
                new CqInit(
                    1,
                    (q, c) -> {
                      inside.countDown();
                      Wait.on(go);
                    },
                    null));
    FakeCq busy = (FakeCq) device.allocCq(4096, 0, PollContext.EVENT_LOOP);
    FakeCq small = (FakeCq) device.allocCq(16, 0, PollContext.EVENT_LOOP);
    List<Character> order = new CopyOnWriteArrayList<>();
    gate.wake();
    Wait.on(inside);
    for (int i = 0; i < 600; i++) {
      busy.complete(completion((q, wc) -> order.add('b')));
    }
    small.complete(completion((q, wc) -> order.add('s')));
    go.countDown();
    Wait.until(() -> order.size() == 601);
    assertEquals(ManagedCompletions.BUDGET_EVENT_LOOP, order.indexOf('s'));
  }

  @Test
  @DisplayName("S26: what done() throws is counted, and the queue goes on")
  void exceptionsOfDone() {
    FakeCq cq = (FakeCq) device.allocCq(64, 0, PollContext.EVENT_LOOP);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 10; i++) {
      boolean bad = i % 2 == 0;
      cq.complete(
          completion(
              (q, wc) -> {
                done.incrementAndGet();
                if (bad) {
                  throw new IllegalStateException("planted");
                }
              }));
    }
    Wait.until(() -> done.get() == 10);
    Wait.until(() -> rig.contract().handlerExceptions() == 5);
  }

  @ParameterizedTest
  @EnumSource(PollContext.class)
  @DisplayName(
      "B25: a managed queue left behind idle or busy is reported, ended and calls no handler")
  void leftBehind(PollContext context) {
    BoundDevice leaver = rig.bind("leaver");
    FakeCq idle = (FakeCq) leaver.allocCq(64, 0, context);
    FakeCq busy = (FakeCq) leaver.allocCq(64, 0, context);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 32; i++) {
      busy.complete(completion((q, wc) -> done.incrementAndGet()));
    }
    assertEquals(2, leaver.sweepAndPoison().size());
    int until = done.get();
    busy.complete(completion((q, wc) -> done.incrementAndGet()));
    idle.complete(completion((q, wc) -> done.incrementAndGet()));
    CountDownLatch behind = new CountDownLatch(1); // what was queued on the vector has run
    ((FakeCq) device.allocCq(8, 0, PollContext.EVENT_LOOP))
        .complete(completion((q, wc) -> behind.countDown()));
    Wait.on(behind);
    assertEquals(until, done.get());
    assertEquals(1, rig.fake().live());
  }

  @Test
  @DisplayName("D3: a completion that no consumer would be notified of is a violation")
  void withoutCqe() {
    FakeCq cq = (FakeCq) device.allocCq(64, 0, PollContext.EVENT_LOOP);
    CountDownLatch later = new CountDownLatch(1);
    cq.complete(completion(null));
    cq.complete(completion((q, wc) -> later.countDown()));
    Wait.on(later);
    assertTrue(rig.clauses().contains("D3"));
  }

  @Test
  @DisplayName("5.1: DIRECT is never armed, neither when it is made nor by a poll")
  void directIsNeverArmed() {
    CompletionQueue cq = device.allocCq(8, 0, PollContext.DIRECT);
    assertEquals(0, cq.processDirect(1));
    assertEquals(0, rig.fake().faults().hits("requestNotify"));
    cq.close();
  }

  @Test
  @DisplayName("S9: a new queue whose arming tells of completions is polled without a wake-up")
  void polledWhenArmingTellsOfMore() {
    rig.fake().nextArming.set(1);
    CompletionQueue cq = device.allocCq(8, 0, PollContext.EVENT_LOOP);
    Wait.until(() -> rig.fake().faults().hits("requestNotify") == 2);
    assertEquals(1, rig.fake().faults().hits("poll"));
    cq.close();
    assertEquals(List.of(), rig.clauses());
  }

  @ParameterizedTest
  @EnumSource(
      value = PollContext.class,
      names = {"EVENT_LOOP", "WORKQUEUE", "UNBOUND"})
  @DisplayName(
      "B7: what arrives between the last poll and the arming is polled, though no queue was armed")
  void arrivesBeforeTheArming(PollContext context) {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, context);
    CountDownLatch done = new CountDownLatch(1);
    rig.fake()
        .faults()
        .at(
            "requestNotify",
            () -> {
              rig.fake().faults().clear();
              cq.complete(completion((q, wc) -> done.countDown()));
            });
    cq.complete(completion((q, wc) -> {})); // whose notification disarms the queue
    Wait.on(done);
    assertEquals(List.of(), rig.clauses());
  }

  @Test
  @DisplayName("S9: a driver that cannot arm a new queue is reported, and the queue is not polled")
  void armingFails() {
    rig.fake().nextArming.set(-22);
    CompletionQueue cq = device.allocCq(8, 0, PollContext.EVENT_LOOP);
    Violation v = rig.contract().violations().getFirst();
    assertEquals("S9", v.clause());
    assertEquals("ib.core.testing", v.culprit());
    assertTrue(v.text().endsWith("failed: -22"), v.text());
    cq.close();
    assertEquals(0, rig.fake().faults().hits("poll"));
  }

  @Test
  @DisplayName("S26: a driver that throws when polled is counted, and the queue goes on")
  void pollThrows() {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, PollContext.EVENT_LOOP);
    rig.fake()
        .faults()
        .at(
            "poll",
            () -> {
              throw new IllegalStateException("planted");
            });
    cq.wake();
    Wait.until(() -> rig.contract().handlerExceptions() == 1);
    rig.fake().faults().clear();
    CountDownLatch done = new CountDownLatch(1);
    cq.complete(completion((q, wc) -> done.countDown()));
    Wait.on(done);
    assertEquals(1, rig.contract().handlerExceptions());
  }

  @Test
  @DisplayName("5.1: DIRECT takes no more than asked for, whatever the size of its batches")
  void directTakesNoMore() {
    FakeCq cq = (FakeCq) device.allocCq(64, 0, PollContext.DIRECT);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 60; i++) {
      cq.complete(completion((q, wc) -> done.incrementAndGet()));
    }
    assertEquals(20, cq.processDirect(20));
    assertEquals(20, done.get());
    assertEquals(40, cq.processDirect(41));
  }

  private void reported(String text) {
    Wait.until(() -> rig.contract().violations().size() == 1); // counted before
    Violation v = rig.contract().violations().getFirst();
    assertEquals("S9", v.clause());
    assertEquals("ib.core.testing", v.culprit());
    assertTrue(v.text().endsWith(text), v.text());
  }

  private void goesOn(FakeCq cq) {
    CountDownLatch done = new CountDownLatch(1);
    cq.complete(completion((q, wc) -> done.countDown()));
    cq.wake();
    Wait.on(done);
  }

  @Test
  @DisplayName("S9: a driver that cannot arm a queue again is reported, and a wake-up still counts")
  void armingAgainFails() {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, PollContext.EVENT_LOOP);
    rig.fake().nextArming.set(-22);
    cq.wake();
    reported("failed: -22");
    goesOn(cq);
    assertEquals(1, rig.contract().violationCount());
  }

  @ParameterizedTest
  @EnumSource(
      value = PollContext.class,
      names = {"EVENT_LOOP", "WORKQUEUE", "UNBOUND"})
  @DisplayName(
      "S9: a driver that cannot be polled is reported, and the queue is armed all the same")
  void pollingFails(PollContext context) {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, context);
    rig.fake().nextPoll.set(-22);
    cq.wake();
    reported("failed: -22");
    Wait.until(() -> rig.fake().faults().hits("requestNotify") == 2);
    goesOn(cq);
    assertEquals(1, rig.contract().violationCount());
  }

  @Test
  @DisplayName("S18: a queue that is gone is no fault of the driver")
  void gone() {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, PollContext.EVENT_LOOP);
    rig.fake().nextPoll.set(PostStatus.GONE);
    rig.fake().nextArming.set(PostStatus.GONE);
    cq.wake();
    Wait.until(() -> rig.fake().faults().hits("requestNotify") == 2);
    goesOn(cq);
    assertEquals(List.of(), rig.clauses());
  }

  @Test
  @DisplayName(
      "S24: the pool takes no run: each time the failure is reported, and the next wake-up tries again")
  void noThreadForIt() {
    Contract contract = new Contract(false);
    CallbackPool closed = new CallbackPool();
    closed.close();
    CompletionVector vector = new CompletionVector("ib-refused-comp-0");
    vector.start();
    try {
      var task =
          new ManagedCompletions(PollContext.WORKQUEUE, contract, "a driver", vector, closed);
      task.schedule();
      Wait.until(() -> contract.handlerExceptions() == 1);
      task.schedule();
      Wait.until(() -> contract.handlerExceptions() == 2);
    } finally {
      vector.close();
      vector.join(new WaitGraph());
    }
  }
}
