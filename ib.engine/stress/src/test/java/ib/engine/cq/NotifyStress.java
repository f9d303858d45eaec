package ib.engine.cq;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.port.HcaCore;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.random.RandomGenerator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** B7: no completion is lost between the last poll and the arm. */
public class NotifyStress {
  private static final int ARM = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
  private static final long PATIENCE_NS = 10_000_000_000L; // then a notification is lost
  private static final ObjectControl NOBODY =
      (ObjectControl)
          Proxy.newProxyInstance(
              NotifyStress.class.getClassLoader(),
              new Class<?>[] {ObjectControl.class},
              (proxy, method, args) -> method.getReturnType() == long.class ? 0L : null);

  private static final Wire NOWHERE =
      new Wire() {
        @Override
        public void transmit(Packet packet, RunContext run) {
          packet.release(run);
        }

        @Override
        public boolean segments() {
          return false;
        }
      };
  private static final HcaCore HCA =
      new HcaCore(
          HcaConfig.of(1, 2),
          List.of(NOWHERE),
          NanoClock.SYSTEM,
          RandomGenerator.getDefault(),
          (type, port) -> {});

  static {
    HCA.worker().start("worker"); // notifies a consumer that armed before the claim was published
  }

  /** A queue that notes whether its handler would be called. */
  static class Queue implements CompletionNotifier {
    final SoftCq cq = new SoftCq(NOBODY, new CqInit(2), HCA);
    volatile int notified;
    private final WorkCompletion[] into = {new WorkCompletion()};

    Queue() {
      cq.connect(this);
    }

    @Override
    public void notifyCompletion(CompletionQueue queue) {
      notified = 1;
    }

    @Override
    public int processDirect(CompletionQueue queue, int budget) {
      return 0;
    }

    void push() {
      cq.push(null, 1, WcStatus.SUCCESS, WcOpcode.SEND, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, false);
    }

    int poll() {
      return cq.poll(into, 1);
    }

    /** Waits for the notification, unless the entry was polled in time, and polls then. */
    void notified(III_Result r, boolean polled) {
      long end = System.nanoTime() + PATIENCE_NS;
      while (!polled && r.r2 == 0 && notified == 0 && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      r.r1 = notified;
      r.r3 = poll();
    }
  }

  /** A consumer that polls until empty and then arms is notified, or has polled the entry. */
  @JCStressTest
  @Outcome(
      id = {"0, 0, 0", "1, 0, 0"},
      expect = ACCEPTABLE,
      desc = "polled in time")
  @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "notified by the result of the arm")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "notified by the handler")
  @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "notified twice")
  @Outcome(expect = FORBIDDEN, desc = "the notification is lost")
  @State
  public static class PollThenArm extends Queue {
    private boolean polled;

    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void consumer(III_Result r) {
      polled = poll() > 0;
      r.r2 = cq.requestNotify(ARM);
    }

    @Arbiter
    public void after(III_Result r) {
      notified(r, polled);
    }
  }

  /** As above, while the queue is resized between the last poll and the arm. */
  @JCStressTest
  @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "notified by the result of the arm")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "notified by the handler")
  @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "notified twice")
  @Outcome(expect = FORBIDDEN, desc = "the notification is lost")
  @State
  public static class ResizeAndArm extends Queue {
    @Actor
    public void producer() {
      push();
    }

    @Actor
    public void consumer(III_Result r) {
      cq.doResize(4);
      r.r2 = cq.requestNotify(ARM);
    }

    @Arbiter
    public void after(III_Result r) {
      notified(r, false);
    }
  }

  /** Canary: no memory fence between the arm and the read of the entries. */
  @JCStressTest
  @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "notified by the result of the arm")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "notified by the handler")
  @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "notified twice")
  @Outcome(expect = FORBIDDEN, desc = "the notification is lost")
  @State
  public static class CanaryNoFence {
    private final CompletionRing ring = new CompletionRing(1);
    private int armed;

    @Actor
    public void producer(III_Result r) {
      ring.publish(ring.claim(), 1, 0, 0, 0, 0, 0, 0, null);
      r.r1 = armed;
    }

    @Actor
    public void consumer(III_Result r) {
      armed = 1;
      r.r2 = ring.tail() > 0 ? 1 : 0;
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = ring.valid(0) ? 1 : 0;
    }
  }
}
