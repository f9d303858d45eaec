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
 * Timers that release held packets when they are due. A timer is started only if a packet is due
 * earlier than all others, so there are few.
 */
final class Alarms {
  /** The work of the timers. */
  @FunctionalInterface
  interface Task {
    /**
     * Releases what is due; called by the device's worker.
     *
     * @param run the context
     * @return nanoseconds until the next call; Long.MAX_VALUE for never
     */
    long run(RunContext run);
  }

  private final SoftHca hca;
  private final Task task;
  private final NanoClock clock;
  private final List<Alarm> all = new CopyOnWriteArrayList<>();
  private final AtomicLong dueNs = new AtomicLong(Long.MAX_VALUE); // when the earliest timer is due
  private volatile boolean closed;

  Alarms(SoftHca hca, Task task, NanoClock clock) {
    this.hca = hca;
    this.task = task;
    this.clock = clock;
  }

  /** Makes the task run within a time. Any thread may call; never blocks. */
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
      Alarms.this.dueNs.compareAndSet(dueNs, Long.MAX_VALUE); // the next packet starts a new timer
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
