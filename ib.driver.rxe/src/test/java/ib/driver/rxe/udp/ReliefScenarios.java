package ib.driver.rxe.udp;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Two threads that have the duty in turns, in every order. */
public final class ReliefScenarios {
  private ReliefScenarios() {}

  /** Counts who is at the sockets. */
  private abstract static class Shift implements Scenario {
    final Relief relief = new Relief(0);
    private final AtomicInteger atSockets = new AtomicInteger();

    void come() {
      if (atSockets.incrementAndGet() != 1) {
        Interleavings.fail("two threads have the duty");
      }
    }

    void go() {
      atSockets.decrementAndGet();
    }

    /** The spare receives once it has the duty, and has it for good. */
    void spare() {
      if (relief.standBy()) {
        come();
        taken();
      }
    }

    void taken() {}

    @Override
    public void check() {
      if (atSockets.get() != 1) {
        throw new AssertionError("at the sockets: " + atSockets);
      }
    }
  }

  /** Handlers return, early or late. */
  public static final class Handlers extends Shift {
    @Override
    public void setUp() {
      Interleavings.spawn("spare", true, this::spare);
      Interleavings.spawn(
          "on duty",
          false,
          () -> {
            come();
            boolean duty = true;
            for (int i = 0; i < 2 && duty; i++) {
              go();
              duty = relief.back(relief.leave());
              if (duty) {
                come();
              }
            }
          });
    }
  }

  /** A handler does not return before the spare has the duty. */
  public static final class Stuck extends Shift {
    private volatile boolean taken;
    private volatile Thread first;

    @Override
    void taken() {
      taken = true;
      LockSupport.unpark(first);
    }

    @Override
    public void setUp() {
      Interleavings.spawn("spare", true, this::spare);
      first =
          Interleavings.spawn(
              "on duty",
              false,
              () -> {
                come();
                go();
                long left = relief.leave();
                while (!taken) {
                  LockSupport.park(this);
                }
                if (relief.back(left)) {
                  Interleavings.fail("has a duty that was taken over");
                }
              });
    }
  }
}
