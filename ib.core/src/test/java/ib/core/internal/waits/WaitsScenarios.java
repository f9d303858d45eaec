package ib.core.internal.waits;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.serial.Waits.Rank;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Threads that run callbacks and wait for each other's, for every schedule. */
public final class WaitsScenarios {
  private WaitsScenarios() {}

  /** The run of a callback, as the core's own: the runner is set before the code of the run. */
  static final class Run implements Waits.Target {
    volatile boolean running = true;
    volatile @Nullable Thread runner;
    boolean late; // planted: the runner is set after the code of the run has begun

    @Override
    public boolean over() {
      return !running;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = runner;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "a run";
    }

    /** The calling thread runs it. */
    void run(Runnable body) {
      if (!late) {
        runner = Thread.currentThread();
      }
      body.run();
      runner = Thread.currentThread();
      runner = null;
      running = false;
    }
  }

  /** Threads in a ring, each in its own run, each waiting for the run of the next. */
  abstract static class Ring implements Scenario {
    final WaitGraph graph = new WaitGraph(1);
    final List<Run> runs = new ArrayList<>();
    final Rank[] ranks;
    final @Nullable End[] ends;

    Ring(Rank... ranks) {
      this.ranks = ranks;
      this.ends = new End[ranks.length];
    }

    void spawn() {
      for (int i = 0; i < ranks.length; i++) {
        runs.add(new Run());
      }
      for (int i = 0; i < ranks.length; i++) {
        int n = i;
        Interleavings.spawn("t" + n, false, () -> runs.get(n).run(() -> act(n)));
      }
    }

    void act(int n) {
      Run next = runs.get((n + 1) % runs.size());
      ends[n] = graph.await(next, ranks[n], Long.MAX_VALUE);
    }

    int refused() {
      int n = 0;
      for (End e : ends) {
        n += e != null && e.kind() == End.Kind.REFUSED ? 1 : 0;
      }
      return n;
    }

    void nobodyWaits() {
      if (!graph.waits().isEmpty()) {
        throw new AssertionError("a wait is left: " + graph.waits());
      }
    }
  }

  /** Two equals cross: exactly one is refused, or none when one had ended before. */
  public static final class Cross extends Ring {
    /** Two closes. */
    public Cross() {
      super(Rank.CLOSES, Rank.CLOSES);
    }

    @Override
    public void setUp() {
      spawn();
    }

    @Override
    public void check() {
      nobodyWaits();
      if (refused() > 1) {
        throw new AssertionError("both were refused");
      }
    }
  }

  /** A queued wait and a close cross: the close stays, in either order. */
  public static final class Ranks extends Ring {
    /** One of each. */
    public Ranks() {
      super(Rank.CLOSES, Rank.QUEUED);
    }

    @Override
    public void setUp() {
      spawn();
    }

    @Override
    public void check() {
      nobodyWaits();
      if (!ends[0].done()) {
        throw new AssertionError("the close was given up: " + ends[0]);
      }
    }
  }

  /** A thread waits for a run that does not wait: without a cycle no wait is refused. */
  public static final class NoCycle extends Ring {
    /** A wait that would be the first to yield. */
    public NoCycle() {
      super(Rank.QUEUED, Rank.QUEUED);
    }

    @Override
    public void setUp() {
      spawn();
    }

    @Override
    void act(int n) {
      if (n == 0) {
        super.act(n);
      }
      Interleavings.step();
    }

    @Override
    public void check() {
      nobodyWaits();
      if (!ends[0].done()) {
        throw new AssertionError("refused without a cycle");
      }
    }
  }

  /** Planted: the runner is known only after the code of the run has begun. */
  public static final class LateRunner extends Ring {
    /** Two closes. */
    public LateRunner() {
      super(Rank.CLOSES, Rank.CLOSES);
    }

    @Override
    public void setUp() {
      spawn();
      runs.forEach(r -> r.late = true);
    }

    @Override
    public void check() {}
  }

  /** Planted: looks and enters in two sections of the leaf. */
  public static final class TwoSections extends Ring {
    /** Two closes. */
    public TwoSections() {
      super(Rank.CLOSES, Rank.CLOSES);
    }

    @Override
    public void setUp() {
      spawn();
    }

    @Override
    void act(int n) {
      Run next = runs.get((n + 1) % 2);
      WaitGraph.Wait wait = new WaitGraph.Wait(Thread.currentThread(), next, ranks[n], c -> {});
      List<Thread> cycle = inLeaf(() -> graph.makeWay(wait));
      if (cycle.isEmpty()) {
        inLeaf(
            () -> {
              graph.enter(wait);
              return List.of();
            });
        while (!next.over()) {
          Thread.onSpinWait();
        }
        inLeaf(
            () -> {
              graph.leave(wait);
              return List.of();
            });
      }
    }

    private List<Thread> inLeaf(java.util.function.Supplier<List<Thread>> section) {
      graph.leaf().lock();
      try {
        return section.get();
      } finally {
        graph.leaf().unlock();
      }
    }

    @Override
    public void check() {}
  }

  /** Planted: a wait that was given up looks only at what it waits for. */
  public static final class Unwoken extends Ring {
    /** A queued wait, and a close that comes later. */
    public Unwoken() {
      super(Rank.QUEUED, Rank.CLOSES);
    }

    @Override
    public void setUp() {
      spawn();
    }

    @Override
    void act(int n) {
      if (n == 1) {
        super.act(n);
        return;
      }
      Run next = runs.get(1);
      WaitGraph.Wait wait = new WaitGraph.Wait(Thread.currentThread(), next, ranks[n], c -> {});
      graph.leaf().lock();
      boolean entered;
      try {
        entered = graph.makeWay(wait).isEmpty();
        if (entered) {
          graph.enter(wait);
        }
      } finally {
        graph.leaf().unlock();
      }
      while (entered && !next.over()) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void check() {}
  }
}
