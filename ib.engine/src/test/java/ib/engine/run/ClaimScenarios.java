package ib.engine.run;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.engine.ring.RingScenarios;

/** Small scenarios around the claim token, for every schedule of them. */
public final class ClaimScenarios {
  private ClaimScenarios() {}

  /** Work and who does it; fails when two are inside. */
  abstract static class Work implements Scenario {
    final ClaimToken token = new ClaimToken();
    int posted;
    int done;
    boolean inside;

    void post() {
      posted++;
      if (token.schedule()) {
        runAll();
      }
    }

    void runAll() {
      do {
        if (inside) {
          Interleavings.fail("D4: two owners");
        }
        inside = true;
        int p = posted;
        Interleavings.step();
        done = p;
        inside = false;
      } while (!token.release());
    }

    @Override
    public void check() {
      RingScenarios.require(done == posted, "D4: lost work: " + done + " of " + posted);
    }
  }

  /** Three posters. */
  public static final class ThreePosters extends Work {
    @Override
    public void setUp() {
      for (String name : new String[] {"a", "b", "c"}) {
        Interleavings.spawn(name, false, this::post);
      }
    }
  }

  /**
   * Two threads of the control path, of which one waits for the claim at a time, and a poster. The
   * second of the two does not wait: the explorer would let two that wait take turns for ever.
   */
  public static final class TwoControls extends Work {
    @Override
    public void setUp() {
      Interleavings.spawn("poster", false, this::post);
      Interleavings.spawn("waits", false, this::waits);
      Interleavings.spawn(
          "gives up",
          false,
          () -> {
            if (token.want() && (token.tryClaimWanted() || token.unwant())) {
              runAll();
            }
          });
    }

    private void waits() {
      boolean wants = token.want();
      while (!wants || !token.tryClaimWanted()) {
        Thread.onSpinWait();
        wants = wants || token.want();
      }
      runAll();
    }

    @Override
    public void check() {
      super.check();
      RingScenarios.require(token.tryClaim(), "still claimed, or still wanted");
    }
  }

  /** The control path claims it for good while two post. */
  public static final class Kill extends Work {
    @Override
    public void setUp() {
      Interleavings.spawn("a", false, this::post);
      Interleavings.spawn("b", false, this::post);
      Interleavings.spawn(
          "control",
          false,
          () -> {
            token.want();
            while (!token.tryClaimWanted()) {
              Thread.onSpinWait();
            }
            token.die();
            runAll();
          });
    }

    @Override
    public void check() {
      super.check();
      RingScenarios.require(token.dead() && !token.claimed(), "not dead, or still claimed");
    }
  }
}
