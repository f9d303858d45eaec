package ib.engine.fault;

import ib.engine.SoftHca;
import ib.engine.time.NanoClock;
import ib.engine.time.Timer;
import ib.engine.wire.RunContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Timers that see to it that somebody looks at what is held back when the first of it is due. A new
 * one is started only when something is due earlier than all before, so there are few.
 */
final class Alarms {
  /** What is to be done. */
  @FunctionalInterface
  interface Task {
    /**
     * Does what is due.
     *
     * @param run the context
     * @return nanoseconds until it must be called again, Long.MAX_VALUE for never
     */
    long run(RunContext run);
  }

  private final SoftHca hca;
  private final Task task;
  private final NanoClock clock;
  private final List<Alarm> all = new CopyOnWriteArrayList<>();
  private final AtomicLong dueNs = new AtomicLong(Long.MAX_VALUE); // of the earliest alarm
  private volatile boolean closed;

  Alarms(SoftHca hca, Task task, NanoClock clock) {
    this.hca = hca;
    this.task = task;
    this.clock = clock;
  }

  /** Makes sure that the task is run within a time; any thread. */
  void within(long ns) {
    long due = clock.nanoTime() + ns;
    long earliest;
    do {
      earliest = dueNs.get();
      if (earliest <= due || closed) {
        return;
      }
    } while (!dueNs.compareAndSet(earliest, due));
    Alarm alarm = free();
    alarm.waitNs = ns;
    alarm.dueNs = due;
    hca.startTimer(alarm);
  }

  private Alarm free() {
    for (Alarm a : all) {
      if (a.running.compareAndSet(false, true)) {
        return a;
      }
    }
    Alarm made = new Alarm();
    all.add(made);
    return made;
  }

  void close() {
    closed = true;
  }

  private final class Alarm extends Timer {
    private final AtomicBoolean running = new AtomicBoolean(true);
    private volatile long waitNs;
    private volatile long dueNs;

    @Override
    protected long durationNs() {
      return waitNs;
    }

    @Override
    protected void expired() {
      Alarms.this.dueNs.compareAndSet(dueNs, Long.MAX_VALUE); // the next one starts its own
      running.set(false);
      long next = closed ? Long.MAX_VALUE : task.run(hca.timerContext());
      if (next != Long.MAX_VALUE) {
        within(next);
      }
    }

    @Override
    public boolean cancelled() {
      return closed;
    }
  }
}
