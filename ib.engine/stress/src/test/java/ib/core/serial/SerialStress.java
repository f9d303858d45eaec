package ib.core.serial;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** S23, S24: callbacks one at a time, and once more after the last wake-up. */
public class SerialStress {
  /** The plain writes of the wakers, and those that the callback has seen. */
  static class Asked {
    int one;
    int two;
    int seen;
    int atOnce;
    private int inside;

    void look() {
      inside++;
      if (inside != 1) {
        atOnce++;
      }
      seen |= one | two;
      inside--;
    }
  }

  /** Runs on the thread that holds the claim. */
  static final class Task extends Serial {
    private final Asked asked;

    Task(Asked asked) {
      super(Serial::run);
      this.asked = asked;
    }

    @Override
    protected void call() {
      asked.look();
    }
  }

  /** Two threads write a request each and wake the serial. */
  @JCStressTest
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "both were seen, one call at a time")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost, or two calls at once")
  @State
  public static class TwoWakers {
    private final Asked asked = new Asked();
    private final Task task = new Task(asked);

    @Actor
    public void first() {
      asked.one = 1;
      task.schedule();
    }

    @Actor
    public void second() {
      asked.two = 2;
      task.schedule();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = asked.seen;
      r.r2 = asked.atOnce;
    }
  }

  /**
   * A waker meets a run that is just beginning. The waker writes its request and then reads the
   * state; the run clears the wake-up and then reads the requests. Without both orders neither
   * thread sees the other's write.
   */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "seen by this run or by another one")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost, or two calls at once")
  @State
  public static class WokenAtBegin {
    private final Asked asked = new Asked();
    private final Queued task = new Queued(asked);

    public WokenAtBegin() {
      task.schedule(); // claimed and pending: the thread is about to run it
      task.inline = true;
    }

    @Actor
    public void waker() {
      asked.one = 1;
      task.schedule();
    }

    @Actor
    public void thread() {
      task.run();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = asked.seen;
      r.r2 = asked.atOnce;
    }
  }

  /** The first call only records that the serial is queued. */
  static final class Queued extends Serial {
    private final Asked asked;
    boolean inline;

    Queued(Asked asked) {
      super(
          serial -> {
            if (((Queued) serial).inline) {
              serial.run();
            }
          });
      this.asked = asked;
    }

    @Override
    protected void call() {
      asked.look();
    }
  }

  /** Canary: a waker that finds PENDING set does not write the state. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "seen by this run or by another one")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost, or two calls at once")
  @State
  public static class CanaryLooksFirst {
    private final Asked asked = new Asked();
    private final AtomicBoolean pending = new AtomicBoolean(true);

    private void run() {
      if (pending.getAndSet(false)) {
        asked.look();
      }
    }

    @Actor
    public void waker() {
      asked.one = 1;
      if (!pending.get() && !pending.getAndSet(true)) {
        asked.seen |= asked.one; // what the other run would see afterwards
      }
    }

    @Actor
    public void thread() {
      run();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = asked.seen;
      r.r2 = asked.atOnce;
    }
  }

  /** Canary: a waker that finds CLAIMED set does not set PENDING. */
  @JCStressTest
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "both were seen, one call at a time")
  @Outcome(expect = FORBIDDEN, desc = "a wake-up was lost, or two calls at once")
  @State
  public static class CanaryNotPending {
    private final Asked asked = new Asked();
    private final AtomicBoolean claimed = new AtomicBoolean();

    private void schedule() {
      if (claimed.compareAndSet(false, true)) {
        asked.look();
        claimed.set(false);
      }
    }

    @Actor
    public void first() {
      asked.one = 1;
      schedule();
    }

    @Actor
    public void second() {
      asked.two = 2;
      schedule();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = asked.seen;
      r.r2 = asked.atOnce;
    }
  }
}
