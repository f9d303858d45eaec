package ib.core.internal.callback;

import ib.core.serial.KeptRuns;
import ib.core.serial.Place;
import ib.core.serial.Serial;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A thread that keeps its runs, and another one that gives up those that have not begun. */
public final class KeptScenarios {
  private KeptScenarios() {}

  /** Three serials are kept and run while another thread gives up what waits. */
  public static final class GivenUp implements Scenario {
    private final KeptRuns kept = new KeptRuns();
    private final ArrayDeque<Serial> given = new ArrayDeque<>(); // of the thread that gives up
    private final Place place = given::add;
    private final Run[] runs = {new Run(place), new Run(place), new Run(place)};

    /** Counts its runs. */
    private static final class Run extends Serial {
      private final AtomicInteger inside = new AtomicInteger();
      private final AtomicInteger count = new AtomicInteger();

      Run(Place place) {
        super(place);
      }

      @Override
      protected void call() {
        if (inside.incrementAndGet() != 1) {
          Interleavings.fail("two runs at once");
        }
        count.incrementAndGet();
        inside.decrementAndGet();
      }
    }

    @Override
    public void setUp() {
      for (Run run : runs) {
        run.claim();
      }
      Interleavings.spawn(
          "keeps",
          false,
          () -> {
            kept.open();
            kept.keep();
            for (Run run : runs) {
              if (!KeptRuns.take(run)) {
                Interleavings.fail("not kept");
              }
            }
            kept.close();
            kept.run();
          });
      Interleavings.spawn(
          "gives up",
          false,
          () -> {
            kept.giveUp();
            for (Serial run = given.poll(); run != null; run = given.poll()) {
              run.arrived();
            }
          });
    }

    @Override
    public void check() {
      for (Run run : runs) {
        if (run.count.get() != 1) {
          throw new AssertionError("runs: " + run.count);
        }
      }
    }
  }

  /** Runs are given up while the thread is inside one: at most the next one begins there then. */
  public static final class Stuck implements Scenario {
    private final KeptRuns kept = new KeptRuns();
    private final ArrayDeque<Serial> given = new ArrayDeque<>();
    private final Place place = given::add;
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean givenUp;
    private @Nullable Thread keeps;
    private @Nullable Thread givesUp;

    /** The first one has the other thread give up. */
    private final class Run extends Serial {
      Run() {
        super(place);
      }

      @Override
      protected void call() {
        if (givenUp && Thread.currentThread().equals(keeps)) {
          late.incrementAndGet();
        }
        if (count.incrementAndGet() == 1) {
          Interleavings.unpark(givesUp);
        }
      }
    }

    @Override
    public void setUp() {
      Run[] runs = {new Run(), new Run(), new Run()};
      for (Run run : runs) {
        run.claim();
      }
      givesUp =
          Interleavings.sleeper(
              "gives up",
              () -> {
                kept.giveUp();
                givenUp = true;
                for (Serial run = given.poll(); run != null; run = given.poll()) {
                  run.arrived();
                }
              });
      keeps =
          Interleavings.spawn(
              "keeps",
              false,
              () -> {
                kept.open();
                kept.keep();
                for (Run run : runs) {
                  KeptRuns.take(run);
                }
                kept.close();
                kept.run();
              });
    }

    @Override
    public void check() {
      if (count.get() != 3 || late.get() > 1) {
        throw new AssertionError(count + " runs, " + late + " begun late");
      }
    }
  }
}
