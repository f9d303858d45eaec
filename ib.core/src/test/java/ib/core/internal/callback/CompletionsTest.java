package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.End;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.verbs.CqInit;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("S23, S25: the core's side of completion queues, and its threads, piece by piece")
@Timeout(600)
class CompletionsTest {
  private final Contract contract = new Contract(false);
  private final CallbackPool pool = new CallbackPool();
  private final CompletionVectors vectors = new CompletionVectors("parts0", 2, pool);
  private final Completions completions = new Completions("driver", contract, vectors, pool);
  private final List<Object> called = new ArrayList<>();

  @AfterEach
  void close() {
    assertTrue(vectors.close(new WaitGraph()));
    assertEquals(End.DONE, pool.close(new WaitGraph()));
  }

  private static FakeCq queue(CqInit init) {
    ObjectControl nobody =
        (ObjectControl)
            Proxy.newProxyInstance(
                CompletionsTest.class.getClassLoader(),
                new Class<?>[] {ObjectControl.class},
                (proxy, method, arguments) -> method.getReturnType() == long.class ? 0L : null);
    return new FakeCq(nobody, new FakeDevice("parts0"), init);
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("ib-parts0-"))
        .toList();
  }

  @Test
  @DisplayName("D2: only queues that run on a device's vector start its thread")
  void whoseThread() {
    completions.of(new CqInit(4));
    completions.of(CqInit.managed(4, 0, PollContext.WORKQUEUE));
    completions.of(CqInit.managed(4, 0, PollContext.UNBOUND));
    assertEquals(List.of(), threads());
    completions.of(CqInit.managed(4, 1, PollContext.EVENT_LOOP));
    assertEquals(List.of("ib-parts0-comp-1"), threads());
  }

  @Test
  @DisplayName("I4: a device's threads have ended if each one has")
  void allEnded() {
    vectors.vector(0);
    vectors.vector(1);
    Deque<End> ends = new ArrayDeque<>(List.of(End.TIMEOUT, End.DONE));
    assertFalse(vectors.close((target, rank, limitNs) -> ends.remove()));
    assertEquals(List.of(), List.copyOf(ends), "both are waited for");
  }

  @Test
  @DisplayName("I4: the end of the pool is that of the thread that hands over, too")
  void handoverEnds() {
    CompletionVector handover = pool.handover();
    List<String> waited = new ArrayList<>();
    Waits waits =
        (target, rank, limitNs) -> {
          waited.add(target.text());
          return new WaitGraph().await(target, rank, TimeUnit.MINUTES.toNanos(1));
        };
    assertEquals(End.DONE, pool.close(waits));
    assertEquals(
        List.of(
            "the end of thread ib-comp-handover", "the end of the threads of completion handlers"),
        waited);
    assertTrue(handover.join((target, rank, limitNs) -> target.over() ? End.DONE : End.TIMEOUT));
  }

  @Test
  @DisplayName("A13: a task of a vector that throws does not keep the next task from running")
  void throughTheVector() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(2);
    CompletionVector vector = new CompletionVector("ib-parts0-through");
    Serial bad =
        new Serial(vector) {
          @Override
          public void arrived() {
            done.countDown();
            throw new LinkageError("planted");
          }

          @Override
          protected void call() {}
        };
    Serial good =
        new Serial(vector) {
          @Override
          protected void call() {
            done.countDown();
          }
        };
    bad.schedule();
    good.schedule();
    vector.start();
    assertTrue(done.await(10, TimeUnit.MINUTES));
    vector.close();
    assertTrue(vector.join(new WaitGraph()));
  }

  private RawCompletions raw(RuntimeException thrown) {
    return new RawCompletions(
        (cq, context) -> {
          called.add(context);
          if (thrown != null) {
            throw thrown;
          }
        },
        "context",
        contract,
        new CompletionVector("never"));
  }

  @Test
  @DisplayName("S24: a queue that the driver is still making calls no handler")
  void tooEarly() {
    RawCompletions task = raw(null);
    assertFalse(task.isConnected());
    GuardedCompHandler guard = new GuardedCompHandler(task, contract, "driver");
    FakeCq cq = queue(new CqInit(4));
    guard.complete(cq, null);
    assertTrue(task.claim(), "it was not woken up");
    task.run();
    assertEquals(List.of(), called);
    assertEquals(0, contract.handlerExceptions());
    task.connect(cq);
    assertTrue(task.isConnected());
    guard.complete(cq, null);
    assertEquals(List.of("context"), called);
  }

  @Test
  @DisplayName("S26: what a completion handler throws is counted, and it is called again")
  void handlerThrows() {
    RawCompletions task = raw(new IllegalStateException("planted"));
    task.connect(queue(new CqInit(4)));
    task.runHere();
    task.runHere();
    assertEquals(2, called.size());
    assertEquals(2, contract.handlerExceptions());
    assertFalse(Contract.inAtomic());
  }

  @Test
  @DisplayName("A13: what else throws in a run is counted, of raw and of managed queues")
  void failed() {
    raw(null).failed(new IllegalStateException("planted"));
    assertEquals(1, contract.handlerExceptions());
    managed(PollContext.DIRECT).failed(new IllegalStateException("planted"));
    assertEquals(2, contract.handlerExceptions());
  }

  private ManagedCompletions managed(PollContext where) {
    return new ManagedCompletions(where, contract, "a driver", new CompletionVector("never"), pool);
  }

  @Test
  @DisplayName("5.1: processDirect of a queue that is not DIRECT is INVALID, of a closed one GONE")
  void processDirect() {
    FakeCq cq = queue(CqInit.managed(4, 0, PollContext.DIRECT));
    assertEquals(PostStatus.INVALID, raw(null).processDirect(cq, 1));
    assertEquals(PostStatus.INVALID, managed(PollContext.EVENT_LOOP).processDirect(cq, 1));
    ManagedCompletions direct = managed(PollContext.DIRECT);
    direct.connect(cq);
    assertEquals(0, direct.processDirect(cq, 1));
    direct.close();
    assertEquals(PostStatus.GONE, direct.processDirect(cq, 1));
  }
}
