package ib.core.internal.hotplug;

import ib.core.testing.Interleavings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the machine under the explorer. Helpers are spawned before, since a schedule knows
 * its threads from the beginning; and there is no watchdog: what only the watchdog ends does not
 * end.
 */
final class ExploredSync implements Sync {
  private final List<Helper> helpers = new ArrayList<>();
  private int given;

  /** For the scenario's set-up. */
  ExploredSync(int most) {
    for (int i = 0; i < most; i++) {
      Helper h = new Helper();
      h.thread = Interleavings.sleeper("helper" + i, () -> h.body.run());
      helpers.add(h);
    }
  }

  private static final class Helper {
    private @Nullable Thread thread;
    private @Nullable Runnable body;
  }

  @Override
  public void step() {
    // the leaf lock is a place where another thread may come first, and that is enough
  }

  @Override
  public Signal signal() {
    return new Parked();
  }

  @Override
  public Thread thread(String name, Runnable body) {
    Helper h = helpers.get(given++); // guarded by the book
    h.body = body;
    return h.thread;
  }

  @Override
  public void start(Thread thread) {
    LockSupport.unpark(thread);
  }

  @Override
  public Alarm alarm(LongUnaryOperator scan) {
    return new Alarm() {
      @Override
      public void due(long ns) {
        // time stands still
      }

      @Override
      public void stop() {
        // nothing runs
      }
    };
  }

  private static final class Parked implements Signal {
    private final Thread thread = Thread.currentThread(); // who makes it waits for it
    private volatile boolean fired;

    @Override
    public void fire() {
      fired = true;
      LockSupport.unpark(thread);
    }

    @Override
    public void await() {
      while (!fired) {
        LockSupport.park(this);
      }
    }
  }
}
