package ib.engine.run;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.engine.time.Timer;
import ib.engine.time.VirtualClock;

/** Small scenarios around the worker and its timers. */
public final class WorkerScenarios {
  private WorkerScenarios() {}

  /** Nothing to look at. */
  private static final class Nothing extends LookRound {
    @Override
    protected void look(long now) {}

    @Override
    protected long restNs() {
      return Long.MAX_VALUE;
    }
  }

  private static final class Due extends Timer {
    private final long waitNs;
    int expired;

    Due(long waitNs) {
      this.waitNs = waitNs;
    }

    @Override
    protected long durationNs() {
      return waitNs;
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

  /** Two threads start timers while the worker goes to sleep: both expire. */
  public static final class Timers implements Scenario {
    private final Worker worker = new Worker(new VirtualClock(), new Nothing(), 1 << 20);
    private final Due a = new Due(0);
    private final Due b = new Due(-1);
    private final Due later = new Due(1);

    @Override
    public void setUp() {
      Turns.start(worker, Interleavings.spawn("worker", true, () -> Turns.endlessly(worker)));
      Interleavings.spawn("a", false, () -> worker.start(a));
      Interleavings.spawn(
          "b",
          false,
          () -> {
            worker.start(later);
            worker.start(b);
          });
    }

    @Override
    public void check() {
      if (a.expired != 1 || b.expired != 1 || later.expired != 0) {
        throw new AssertionError("D4: expired " + a.expired + ", " + b.expired + " times");
      }
    }
  }
}
