package ib.engine.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** D4: one claim holder at a time, and no work is lost. */
public class ClaimTokenStress {
  /** The work is two plain flags and a plain result: only the token orders the accesses. */
  static class Work {
    final ClaimToken token = new ClaimToken();
    int posted1;
    int posted2;
    int done; // only the claim holder writes it: each bit once
    int inside;
    int overlaps;

    void run() {
      inside++;
      if (inside != 1) {
        overlaps++;
      }
      done |= posted1 | posted2 << 1;
      inside--;
    }

    void runAll() {
      do {
        run();
      } while (!token.release());
    }
  }

  /** Two posters of work. */
  @JCStressTest
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "all done, one at a time")
  @Outcome(expect = FORBIDDEN, desc = "lost work or two holders")
  @State
  public static class TwoPosters extends Work {
    @Actor
    public void first() {
      posted1 = 1;
      if (token.schedule()) {
        runAll();
      }
    }

    @Actor
    public void second() {
      posted2 = 1;
      if (token.schedule()) {
        runAll();
      }
    }

    @Arbiter
    public void check(II_Result r) {
      r.r1 = done;
      r.r2 = overlaps;
    }
  }

  /** Canary: a thread that finds the token claimed sets no RERUN. */
  @JCStressTest
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "all done, one at a time")
  @Outcome(expect = FORBIDDEN, desc = "lost work or two holders")
  @State
  public static class CanaryNoMark extends Work {
    @Actor
    public void first() {
      posted1 = 1;
      if (token.tryClaim()) {
        runAll();
      }
    }

    @Actor
    public void second() {
      posted2 = 1;
      if (token.tryClaim()) {
        runAll();
      }
    }

    @Arbiter
    public void check(II_Result r) {
      r.r1 = done;
      r.r2 = overlaps;
    }
  }

  /** As for a packet: try to claim, and set RERUN only when that fails. */
  @JCStressTest
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "all done, one at a time")
  @Outcome(expect = FORBIDDEN, desc = "lost work or two holders")
  @State
  public static class TryThenMark extends Work {
    private volatile int pushed;

    @Override
    void run() {
      posted2 = pushed;
      super.run();
    }

    @Actor
    public void deliver() {
      if (token.tryClaim()) {
        pushed = 1;
        runAll();
      } else {
        pushed = 1;
        if (token.schedule()) {
          runAll();
        }
      }
    }

    @Actor
    public void poster() {
      posted1 = 1;
      if (token.schedule()) {
        runAll();
      }
    }

    @Arbiter
    public void check(II_Result r) {
      r.r1 = done;
      r.r2 = overlaps;
    }
  }

  /** The control path claims the token for good while work is posted, and does that work. */
  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "done, and no holder at the end")
  @Outcome(expect = FORBIDDEN, desc = "lost work, two holders, or destroyed while claimed")
  @State
  public static class WantAndDie extends Work {
    private int insideAtDeath;

    @Actor
    public void poster() {
      posted1 = 1;
      if (token.schedule()) {
        runAll();
      }
    }

    @Actor
    public void control() {
      token.want();
      while (!token.tryClaimWanted()) {
        Thread.onSpinWait();
      }
      insideAtDeath = inside;
      token.die();
      runAll();
    }

    @Arbiter
    public void check(III_Result r) {
      r.r1 = done;
      r.r2 = overlaps;
      r.r3 = insideAtDeath + (token.dead() && !token.claimed() ? 0 : 1);
    }
  }

  /** Canary: checks and claims in two steps. */
  @JCStressTest
  @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "one after the other")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "only one got the claim")
  @Outcome(expect = FORBIDDEN, desc = "two holders")
  @State
  public static class CanaryTornClaim {
    private volatile int state;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();

    private void tryRun() {
      if (state == 0) {
        state = 1;
        if (inside.incrementAndGet() != 1) {
          overlaps.incrementAndGet();
        }
        runs.incrementAndGet();
        inside.decrementAndGet();
        state = 0;
      }
    }

    @Actor
    public void first() {
      tryRun();
    }

    @Actor
    public void second() {
      tryRun();
    }

    @Arbiter
    public void check(II_Result r) {
      r.r1 = runs.get();
      r.r2 = overlaps.get();
    }
  }
}
