package ib.core.internal.hotplug;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * Runs threads one at a time and decides at every step, by seed, which one goes on: the same seed
 * gives the same run. Time is virtual: it jumps to the watchdog's next look when no thread can run.
 */
final class Scheduler implements Sync {
  /** The code of a task. */
  interface Body {
    void run() throws Exception;
  }

  private final Random random;
  private final List<Task> tasks = new ArrayList<>();
  private final List<Runnable> idlers = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Task current;
  private volatile Throwable failure;
  private volatile boolean aborted;
  private long clockNs;
  private long dueNs = Alarm.NEVER;
  private LongUnaryOperator scan;
  private Task watchdog;

  Scheduler(long seed) {
    random = Random.from(new SplittableRandom(seed)); // neighbouring seeds give unlike runs
  }

  Random random() {
    return random;
  }

  long now() {
    return clockNs;
  }

  /** Adds a thread, to be started by {@link #run}. */
  Thread task(String name, Body body) {
    Task t =
        new Task(
            name,
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                fail(e);
              }
            });
    t.started = true;
    return t.thread;
  }

  /** Adds an action that may let threads go on when none can run; it runs once. */
  void whenIdle(Runnable idler) {
    idlers.add(idler);
  }

  void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  Throwable failure() {
    return failure;
  }

  /** Runs all tasks to their end. */
  Throwable run() throws InterruptedException {
    watchdog = new Task("watchdog", this::watch);
    watchdog.started = true;
    watchdog.on = new Sig();
    tasks.forEach(
        t -> {
          if (t.started) {
            t.thread.start();
          }
        });
    handTo(pick());
    if (!over.await(5, TimeUnit.MINUTES)) {
      fail(new AssertionError("the scheduler itself hangs"));
    }
    return failure;
  }

  private void watch() {
    for (; ; ) {
      due(scan.applyAsLong(clockNs));
      watchdog.on = new Sig();
      handTo(pick());
      watchdog.park();
      if (aborted) {
        return;
      }
    }
  }

  private void due(long ns) {
    dueNs = Math.min(dueNs, ns);
  }

  // ---- Sync ----

  @Override
  public void step() {
    Task me = current;
    if (me == null || !me.thread.equals(Thread.currentThread())) {
      return; // the test's own thread, before or after the run
    }
    if (failure != null) {
      handTo(null); // the run is over; its threads stay where they are
      me.park();
    }
    clockNs += 1_000;
    if (random.nextInt(3) == 0) {
      handTo(pick());
      me.park();
    }
  }

  @Override
  public Signal signal() {
    return new Sig();
  }

  @Override
  public Thread thread(String name, Runnable body) {
    return new Task(name, body).thread;
  }

  @Override
  public void start(Thread thread) {
    Task t = tasks.stream().filter(x -> x.thread.equals(thread)).findFirst().orElseThrow();
    t.started = true;
    thread.start();
  }

  @Override
  public Alarm alarm(LongUnaryOperator look) {
    scan = look;
    return new Alarm() {
      @Override
      public void due(long ns) {
        Scheduler.this.due(ns);
      }

      @Override
      public void stop() {
        dueNs = NEVER;
      }
    };
  }

  // ---- the baton ----

  private Task pick() {
    for (; ; ) {
      List<Task> ready = tasks.stream().filter(Task::ready).toList();
      if (!ready.isEmpty()) {
        return ready.get(random.nextInt(ready.size()));
      }
      if (tasks.stream().allMatch(t -> t == watchdog || t.finished || !t.started)) {
        return null;
      }
      if (dueNs != Alarm.NEVER) {
        clockNs = Math.max(clockNs, dueNs);
        dueNs = Alarm.NEVER;
        watchdog.on = null;
        return watchdog;
      }
      if (idlers.isEmpty()) {
        fail(new AssertionError("deadlock:" + dump()));
        return null;
      }
      idlers.removeFirst().run();
    }
  }

  private void handTo(Task next) {
    if (next == null) {
      aborted = true;
      current = null;
      LockSupport.unpark(watchdog.thread);
      over.countDown();
      return;
    }
    current = next;
    LockSupport.unpark(next.thread);
  }

  private String dump() {
    StringBuilder b = new StringBuilder();
    for (Task t : tasks) {
      if (t.started && !t.finished) {
        b.append('\n').append(t.thread.getName());
        for (StackTraceElement e : t.thread.getStackTrace()) {
          b.append("\n    ").append(e);
        }
      }
    }
    return b.toString();
  }

  private final class Task {
    final Thread thread;
    boolean started;
    boolean finished;
    Sig on;

    Task(String name, Runnable body) {
      thread =
          Thread.ofVirtual()
              .name(name)
              .unstarted(
                  () -> {
                    park();
                    body.run();
                    finished = true;
                    if (!aborted) {
                      handTo(pick());
                    }
                  });
      tasks.add(this);
    }

    boolean ready() {
      return started && !finished && (on == null || on.fired);
    }

    void park() {
      while (current != this && !(aborted && this == watchdog)) {
        LockSupport.park(this);
      }
    }
  }

  private final class Sig implements Signal {
    private volatile boolean fired;

    @Override
    public void fire() {
      fired = true;
    }

    @Override
    public void await() {
      Task me = current;
      while (!fired) {
        me.on = this;
        handTo(pick());
        me.park();
      }
      me.on = null;
    }
  }
}
