package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInterruptedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbOverrunException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName(
    "B7: CompletionQueue.await sleeps until a completion comes, and says what else ends it")
@Timeout(600)
class AwaitTest {
  private static final Duration LONG = Duration.ofHours(1); // no test waits so long

  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final FakeCq cq = (FakeCq) device.createCq(new CqInit(4));

  @AfterEach
  void close() {
    rig.close();
  }

  /** A thread that waits, and how it ended. */
  private record Waiting<T>(Thread thread, FutureTask<T> result) {
    T get() throws InterruptedException, ExecutionException, TimeoutException {
      return result.get(10, TimeUnit.MINUTES);
    }

    <E extends IbException> E failure(Class<E> type) {
      return assertInstanceOf(type, assertThrows(ExecutionException.class, this::get).getCause());
    }
  }

  private <T> Waiting<T> waits(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = Thread.ofPlatform().daemon().start(task);
    Wait.until(() -> task.isDone() || waiting().contains(thread));
    return new Waiting<>(thread, task);
  }

  /** The threads whose waits the graph has. */
  private Set<Thread> waiting() {
    WaitGraph graph = rig.objects().waits();
    graph.leaf().lock();
    try {
      return graph.waits().keySet();
    } finally {
      graph.leaf().unlock();
    }
  }

  private Waiting<WorkCompletion> waits() {
    return waits(() -> cq.await(LONG));
  }

  @Test
  @DisplayName("a completion that is there is taken; one that comes wakes the thread")
  void completion() throws Exception {
    cq.complete(7);
    assertEquals(7, cq.await(LONG).wrId());
    Waiting<WorkCompletion> waiting = waits();
    assertEquals(Set.of(waiting.thread), waiting(), "it is in the graph");
    cq.complete(8);
    assertEquals(8, waiting.get().wrId());
    assertEquals(WcStatus.SUCCESS, waiting.get().status());
    assertEquals(Set.of(), waiting());
  }

  @Test
  @DisplayName("a notification ends the sleep, no period does: an unarmed queue is not looked at")
  void armed() throws Exception {
    Waiting<WorkCompletion> waiting = waits();
    Wait.until(cq::isArmed);
    cq.complete(8);
    assertEquals(8, waiting.get().wrId());
  }

  @Test
  @DisplayName("a completion that came before the arming is taken at once")
  void missed() throws Exception {
    rig.fake().faults().at("requestNotify", () -> cq.complete(9));
    assertEquals(9, waits().get().wrId());
  }

  @Test
  @DisplayName("several threads wait; each completion is taken once")
  void together() throws Exception {
    Waiting<WorkCompletion> one = waits();
    Waiting<WorkCompletion> two = waits();
    cq.complete(1);
    Wait.until(() -> one.result.isDone() || two.result.isDone());
    cq.complete(2);
    assertEquals(Set.of(1L, 2L), new TreeSet<>(Set.of(one.get().wrId(), two.get().wrId())));
  }

  @Test
  @DisplayName("all that are there are taken, as many as the array has room for")
  void several() {
    for (int i = 0; i < 3; i++) {
      cq.complete(i);
    }
    WorkCompletion[] into = {new WorkCompletion(), new WorkCompletion()};
    assertEquals(2, cq.await(into, LONG));
    assertEquals(1, cq.await(into, LONG));
    assertThrows(IbInvalidException.class, () -> cq.await(new WorkCompletion[0], LONG));
  }

  @Test
  @DisplayName("the time is over")
  void timeout() {
    String text =
        assertThrows(IbTimedOutException.class, () -> cq.await(Duration.ofMillis(1))).getMessage();
    assertTrue(text.contains("no completion in PT0.001S"), text);
  }

  @Test
  @DisplayName("an overrun, a device that is gone, a driver's other status")
  void statuses() {
    rig.fake().nextPoll.set(PostStatus.OVERRUN);
    assertThrows(IbOverrunException.class, () -> cq.await(LONG));
    rig.fake().nextPoll.set(PostStatus.GONE);
    assertThrows(IbDisassociatedException.class, () -> cq.await(LONG));
    rig.fake().nextPoll.set(PostStatus.BUSY);
    assertThrows(IbInvalidException.class, () -> cq.await(LONG));
  }

  @Test
  @DisplayName("an arming that fails does not end in a loop that never looks")
  void armingFails() {
    rig.fake().nextArming.set(PostStatus.OVERRUN);
    rig.fake().faults().at("requestNotify", () -> rig.fake().nextPoll.set(PostStatus.OVERRUN));
    assertThrows(IbOverrunException.class, () -> cq.await(LONG));
  }

  @Test
  @DisplayName("the close of the queue ends the wait")
  void closed() {
    Waiting<WorkCompletion> waiting = waits();
    cq.close();
    waiting.failure(IbInvalidException.class);
    assertThrows(IbInvalidException.class, () -> cq.await(LONG));
  }

  @Test
  @DisplayName("the removal of the client or its device ends the wait")
  void removed() {
    Waiting<WorkCompletion> waiting = waits();
    device.sweepAndPoison();
    waiting.failure(IbDisassociatedException.class);
    assertThrows(IbDisassociatedException.class, () -> cq.await(LONG));
  }

  @Test
  @DisplayName("an interrupt ends the wait, and its flag stays set")
  void interrupted() throws Exception {
    Waiting<Boolean> waiting =
        waits(
            () -> {
              assertThrows(IbInterruptedException.class, () -> cq.await(LONG));
              return Thread.currentThread().isInterrupted();
            });
    waiting.thread.interrupt();
    assertTrue(waiting.get());
    Waiting<Boolean> before =
        waits(
            () -> {
              Thread.currentThread().interrupt();
              assertThrows(IbInterruptedException.class, () -> cq.await(LONG));
              return Thread.currentThread().isInterrupted();
            });
    assertTrue(before.get());
  }

  @Test
  @DisplayName("a queue with a handler or a poll context hands its completions to these")
  void handler() {
    CqInit raw = new CqInit(4, (queue, context) -> {}, null);
    var withHandler = device.createCq(raw);
    String text =
        assertThrows(IbInvalidException.class, () -> withHandler.await(LONG)).getMessage();
    assertTrue(text.contains("its handler takes its completions"), text);
    var managed = device.createCq(CqInit.managed(4, 0, PollContext.DIRECT));
    assertThrows(IbInvalidException.class, () -> managed.await(LONG));
  }

  @Test
  @DisplayName("S26: not from a callback that may not sleep")
  void atomic() {
    Contract.enterAtomic();
    try {
      assertThrows(IbContractException.class, () -> cq.await(LONG));
    } finally {
      Contract.exitAtomic();
    }
    assertEquals("S26", rig.contract().violations().getLast().clause());
  }
}
