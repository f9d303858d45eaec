package ib.engine.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.engine.time.Timer;
import ib.engine.time.VirtualClock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The worker's inbox of timers. */
public class WorkerStress {
  private static final VirtualClock CLOCK = new VirtualClock();

  /** Due at once; plain fields, written by the starter, read by the worker. */
  static final class Due extends Timer {
    long wait = -1;
    int expired;

    @Override
    protected long durationNs() {
      return wait;
    }

    @Override
    protected void expired() {
      expired++;
    }

    @Override
    public boolean cancelled() {
      return false;
    }
  }

  /** Nothing to look at. */
  static final class Nothing extends LookRound {
    @Override
    protected void look(long now) {}

    @Override
    protected long restNs() {
      return Long.MAX_VALUE;
    }
  }

  private static Worker newWorker() {
    return new Worker(CLOCK, new Nothing(), 1 << 20);
  }

  /** Two queue pairs start their timers. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each expired once")
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class TwoStarters {
    private final Worker worker = newWorker();
    private final Due one = new Due();
    private final Due two = new Due();

    @Actor
    public void first() {
      one.wait = 0;
      worker.start(one);
    }

    @Actor
    public void second() {
      two.wait = 0;
      worker.start(two);
    }

    @Arbiter
    public void worker(II_Result r) {
      worker.step();
      r.r1 = one.expired;
      r.r2 = two.expired;
    }
  }

  /** Timers are started while the worker takes them over. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each expired once")
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class StartAndStep {
    private final Worker worker = newWorker();
    private final Due one = new Due();
    private final Due two = new Due();

    @Actor
    public void starter() {
      one.wait = 0;
      worker.start(one);
      two.wait = 0;
      worker.start(two);
    }

    @Actor
    public void worker() {
      worker.step();
    }

    @Arbiter
    public void rest(II_Result r) {
      worker.step();
      r.r1 = one.expired;
      r.r2 = two.expired;
    }
  }

  /** Canary: the inbox is emptied in two steps. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each expired once")
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class CanaryTakenInTwoSteps {
    private volatile Due inbox;
    private final Due one = new Due();
    private final Due two = new Due();

    private void start(Due t) {
      synchronized (this) { // starters are not the point here
        t.next = inbox;
        inbox = t;
      }
    }

    private void step() {
      Timer t = inbox;
      inbox = null;
      for (; t != null; t = t.next) {
        ((Due) t).expired();
      }
    }

    @Actor
    public void starter() {
      start(one);
      start(two);
    }

    @Actor
    public void worker() {
      step();
    }

    @Arbiter
    public void rest(II_Result r) {
      step();
      r.r1 = one.expired;
      r.r2 = two.expired;
    }
  }
}
