package ib.core.internal.callback;

import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PollContext;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.reflect.Proxy;

/**
 * Scenarios between the last poll and the arm (B7): a driver completes at each point in between.
 */
public final class WakeScenarios {
  private static final int COMPLETIONS = 3;

  private WakeScenarios() {}

  private static FakeCq queue(CqInit init) {
    ObjectControl nobody =
        (ObjectControl)
            Proxy.newProxyInstance(
                WakeScenarios.class.getClassLoader(),
                new Class<?>[] {ObjectControl.class},
                (proxy, method, args) -> method.getReturnType() == long.class ? 0L : null);
    return new FakeCq(nobody, new FakeDevice("wake0"), init);
  }

  /** What all of them have in common: one thread completes three requests. */
  abstract static class Wake implements Scenario {
    final CompletionVector vector = TaskScenarios.vector();
    final Contract contract = new Contract(false);
    final WorkCompletion[] one = {new WorkCompletion()};
    int done;

    abstract FakeCq cq();

    @Override
    public void setUp() {
      vector.start();
      FakeCq cq = cq();
      Interleavings.spawn(
          "driver",
          false,
          () -> {
            for (int i = 0; i < COMPLETIONS; i++) {
              cq.complete(wc());
            }
          });
    }

    WorkCompletion wc() {
      return new WorkCompletion().status(WcStatus.SUCCESS).cqe((cq, wc) -> done++);
    }

    FakeCq raw(CompHandler handler) {
      FakeCq cq = queue(new CqInit(16));
      RawCompletions task = new RawCompletions(handler, null, contract, vector);
      task.connect(cq);
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      return cq;
    }

    @Override
    public void check() {
      if (done != COMPLETIONS) {
        throw new AssertionError("B7: only " + done + " of " + COMPLETIONS + " were heard of");
      }
    }
  }

  /** A managed queue. */
  public static final class Managed extends Wake {
    @Override
    FakeCq cq() {
      FakeCq cq = queue(CqInit.managed(16, 0, PollContext.EVENT_LOOP));
      new ManagedCompletions(
              PollContext.EVENT_LOOP, contract, "a driver", vector, new CallbackPool())
          .connect(cq);
      return cq;
    }
  }

  /** A handler that polls until empty, arms, and polls once more. */
  public static final class ArmThenPoll extends Wake {
    @Override
    FakeCq cq() {
      return raw(
          (cq, context) -> {
            while (cq.poll(one, 1) > 0) {
              done++;
            }
            cq.requestNotify(NotifyFlags.NEXT_COMP);
            while (cq.poll(one, 1) > 0) {
              done++;
            }
          });
    }
  }

  /** A handler that asks to be told of what it missed. */
  public static final class ReportMissed extends Wake {
    @Override
    FakeCq cq() {
      int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
      return raw(
          (cq, context) -> {
            do {
              while (cq.poll(one, 1) > 0) {
                done++;
              }
            } while (cq.requestNotify(flags) > 0);
          });
    }
  }

  /** Canary: polls, arms, and does not look again. */
  public static final class CanaryPollThenArm extends Wake {
    @Override
    FakeCq cq() {
      return raw(
          (cq, context) -> {
            while (cq.poll(one, 1) > 0) {
              done++;
            }
            cq.requestNotify(NotifyFlags.NEXT_COMP);
          });
    }
  }
}
