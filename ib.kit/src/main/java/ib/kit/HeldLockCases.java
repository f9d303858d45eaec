package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbDevice;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * A driver holds no lock of its own while foreign code runs: neither across a completion handler
 * (B4) nor across its registration or its removal (S30, B1). Each case keeps a thread inside the
 * foreign code until another thread's calls into the device have returned.
 */
final class HeldLockCases {
  private HeldLockCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("HELD", 1, "no lock of the driver is held", Cap.RC);
    s.add(
        "while a completion handler runs, another thread's calls on its queue return (B4)",
        HeldLockCases::handler);
    s.add(
        "while add runs, a worker of the client connects, posts and polls (S30, B1)",
        t -> client(t, "add"));
    s.add(
        "while remove runs, a worker of the client connects, posts and polls (S30, B1)",
        t -> client(t, "remove"));
  }

  private static void handler(Trial t) {
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    AtomicReference<@Nullable Runnable> calls = new AtomicReference<>();
    Probe probe =
        new Probe(
            cq -> {
              Runnable todo = calls.get();
              if (todo != null) {
                failed.compareAndSet(null, worker(todo));
              }
            });
    Armed a = Armed.of(t, probe);
    WorkCompletion[] batch = Account.batch(4);
    calls.set(() -> visit(a.cq(), a.flood(), batch));
    a.probe().arm(a.cq());
    a.flood().one(1);
    a.probe().awaitCalls(1);
    rethrow(failed.get());
  }

  private static void visit(CompletionQueue cq, Flood flood, WorkCompletion[] batch) {
    cq.poll(batch, batch.length);
    if (cq.startPoll()) {
      cq.endPoll();
    }
    cq.requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS);
    Subjects.usual(flood.tryOne(2));
    cq.poll(batch, batch.length);
  }

  /** Runs calls on another thread; {@return null, or why they did not return well} */
  private static @Nullable Throwable worker(Runnable calls) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("ib.kit worker")
            .start(
                () -> {
                  try {
                    calls.run();
                  } catch (RuntimeException | AssertionError e) {
                    thrown.set(e);
                  }
                });
    try {
      Await.end(thread);
    } catch (AssertionError late) {
      String stack =
          Arrays.stream(thread.getStackTrace())
              .map(f -> "\n\tat " + f)
              .collect(Collectors.joining());
      return new AssertionError("the driver holds a lock that its methods take" + stack, late);
    }
    return thrown.get();
  }

  private static void rethrow(@Nullable Throwable t) {
    if (t != null) {
      throw new AssertionError(t.getMessage(), t);
    }
  }

  private static void client(Trial t, String place) {
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    int[] visits = {0};
    Consumer<IbDevice> visit =
        device -> {
          visits[0]++;
          failed.compareAndSet(null, worker(() -> talk(t, device)));
        };
    boolean add = place.equals("add");
    t.client(place, add ? visit : device -> {}, add ? device -> {} : visit);
    t.bench.unplug(t.name(1));
    t.bench.plug(t.name(1));
    rethrow(failed.get());
    Assertions.assertTrue(visits[0] > 0, "no " + place);
  }

  private static void talk(Trial t, IbDevice device) {
    try (End e = new End(device, Shape.of(QpType.RC), t.bench);
        End f = new End(device, Shape.of(QpType.RC), t.bench)) {
      new Pair(e, f).connect(t.bench).ping(t);
    }
  }
}
