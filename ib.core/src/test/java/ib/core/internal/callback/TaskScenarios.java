package ib.core.internal.callback;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.End;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;

/** Scenarios around {@link Serial} and {@link CompletionVector}, and planted bugs. */
public final class TaskScenarios {
  private TaskScenarios() {}

  /** A vector whose thread is part of the schedule, and which goes to sleep at once. */
  static CompletionVector vector() {
    return new CompletionVector("vector", body -> Interleavings.spawn("vector", true, body), 0);
  }

  /** Counts what was asked for and what was seen; fails when two runs overlap. */
  static class Probe extends Serial {
    int asked;
    int seen;
    int runs;
    int failures;
    boolean running;
    boolean ended;

    Probe(CompletionVector vector) {
      super(vector);
    }

    void ask() {
      asked++;
      schedule();
    }

    @Override
    protected void call() {
      if (running) {
        Interleavings.fail("S24: two handlers at once");
      }
      if (ended) {
        Interleavings.fail("B8: a handler after the fence");
      }
      running = true;
      runs++;
      Interleavings.step();
      seen = asked;
      Interleavings.step();
      running = false;
    }
  }

  /** Two drivers' threads wake one queue; the vector may be asleep or awake. */
  public static final class TwoWakers implements Scenario {
    private final CompletionVector vector = vector();
    private final Probe probe = new Probe(vector);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("a", false, probe::ask);
      Interleavings.spawn("b", false, probe::ask);
    }

    @Override
    public void check() {
      if (probe.seen != 2) {
        throw new AssertionError("E2: a wake-up was lost: saw " + probe.seen + " of 2");
      }
    }
  }

  /** Two queues of one vector, each woken by a thread of its own. */
  public static final class TwoQueues implements Scenario {
    private final CompletionVector vector = vector();
    private final Probe one = new Probe(vector);
    private final Probe two = new Probe(vector);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "a",
          false,
          () -> {
            one.ask();
            two.ask();
          });
      Interleavings.spawn("b", false, two::ask);
    }

    @Override
    public void check() {
      if (one.seen != 1 || two.seen != 2) {
        throw new AssertionError("E2: a wake-up was lost: saw " + one.seen + " and " + two.seen);
      }
    }
  }

  /** A driver calls the handler on its own thread while another hands over to the vector. */
  public static final class HereAndThere implements Scenario {
    private final CompletionVector vector = vector();
    private final Probe probe = new Probe(vector);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "a",
          false,
          () -> {
            probe.asked++;
            probe.runHere();
          });
      Interleavings.spawn("b", false, probe::ask);
    }

    @Override
    public void check() {
      if (probe.seen != 2) {
        throw new AssertionError("E2: a wake-up was lost: saw " + probe.seen + " of 2");
      }
    }
  }

  /** A destroy fences while wake-ups come in. */
  public static final class Fence implements Scenario {
    private final CompletionVector vector = vector();
    private final Probe probe = new Probe(vector);
    private final WaitGraph graph = new WaitGraph();

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "a",
          false,
          () -> {
            probe.ask();
            probe.ask();
          });
      Interleavings.spawn(
          "close",
          false,
          () -> {
            probe.close();
            End r = probe.fence(graph, Waits.Rank.CLOSES, "the queue", Long.MAX_VALUE);
            if (!r.done() || probe.running) {
              throw new AssertionError("B8: a handler runs after the fence: " + r);
            }
            probe.ended = true;
          });
    }

    @Override
    public void check() {}
  }

  /** The vector is closed while it goes to sleep. */
  public static final class CloseVector implements Scenario {
    private final CompletionVector vector =
        new CompletionVector("vector", body -> Interleavings.spawn("vector", false, body), 0);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("close", false, vector::close);
    }

    @Override
    public void check() {}
  }

  /** Canary: looks before it wakes, as if reading were enough: a wake-up during the run is lost. */
  public static final class CanaryLost implements Scenario {
    private final CompletionVector vector = vector();
    private final Probe probe = new Probe(vector);
    private volatile boolean scheduled;

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn("a", false, this::ask);
      Interleavings.spawn("b", false, this::ask);
    }

    private void ask() {
      probe.asked++;
      if (!scheduled) {
        scheduled = true;
        probe.schedule();
      }
    }

    @Override
    public void check() {
      if (probe.seen != 2) {
        throw new AssertionError("E2: a wake-up was lost: saw " + probe.seen + " of 2");
      }
    }
  }

  /**
   * Canary: the one-shot arm is taken under a lock, the handler is called outside of it (siw,
   * irdma: B5).
   */
  public static final class CanaryTwoAtOnce implements Scenario {
    private final Probe probe = new Probe(vector());
    private volatile boolean armed = true;

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, this::complete);
      Interleavings.spawn("b", false, this::complete);
    }

    private void complete() {
      if (armed) {
        armed = false;
        probe.asked++;
        armed = true; // the handler arms again at its beginning, and goes on
        probe.call();
      }
    }

    @Override
    public void check() {}
  }

  /** Canary: the vector looks at its queue, then sleeps, without telling anybody in one step. */
  public static final class CanaryAsleep implements Scenario {
    private volatile boolean work;
    private volatile boolean asleep;
    private Thread sleeper;
    private boolean done;

    @Override
    public void setUp() {
      sleeper =
          Interleavings.spawn(
              "vector",
              true,
              () -> {
                if (!work) {
                  asleep = true;
                  java.util.concurrent.locks.LockSupport.park(this);
                }
                done = work;
              });
      Interleavings.spawn(
          "a",
          false,
          () -> {
            work = true;
            if (asleep) {
              java.util.concurrent.locks.LockSupport.unpark(sleeper);
            }
          });
    }

    @Override
    public void check() {
      if (!done) {
        throw new AssertionError("a wake-up was lost");
      }
    }
  }
}
