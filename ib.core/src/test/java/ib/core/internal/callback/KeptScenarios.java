package ib.core.internal.callback;

import ib.core.serial.KeptRuns;
import ib.core.serial.Place;
import ib.core.serial.Serial;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

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
}
