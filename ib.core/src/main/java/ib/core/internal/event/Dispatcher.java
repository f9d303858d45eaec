package ib.core.internal.event;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one dispatcher thread of a device: takes events from the rings, one at a time, and sees to it
 * that those which the bus holds up go on without it. The thread starts with the first event and
 * ends with {@link #close}.
 */
final class Dispatcher implements Runnable {
  /** What the dispatcher does, on its thread only. */
  interface Work {
    /** An unaffiliated event; {@return false when the caller is no longer the dispatcher} */
    boolean event(EventType type, int port, int lost, long timeNs);

    /**
     * An affiliated event, or losses of such; {@return false when the caller is no longer the
     * dispatcher}
     */
    boolean mirror(@Nullable IbEvent event, int lost);

    /** Looks after what is overdue. */
    void tick(long nowNs);

    /** {@return whether another event may be taken} */
    boolean ready();

    /** {@return nanoseconds until the next tick has something to do} */
    long remainingNs(long nowNs);

    /** Nothing is to come any more. */
    void end();
  }

  private enum Step {
    WORKED,
    IDLE,
    DISOWNED
  }

  private static final int UNOPENED = 0;
  private static final int OPEN = 1;
  private static final int STARTED = 2;
  private static final int ENDED = 3;

  private final EventHub hub;
  private final String device;
  private final Work work;
  private final EventRing events;
  private final EventRing mirrors;
  private final AtomicInteger life = new AtomicInteger(UNOPENED);
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable Thread owner;
  private volatile boolean sleeping;

  Dispatcher(EventHub hub, String device, Work work, EventRing events, EventRing mirrors) {
    this.hub = hub;
    this.device = device;
    this.work = work;
    this.events = events;
    this.mirrors = mirrors;
  }

  void open() {
    if (life.compareAndSet(UNOPENED, OPEN) && (events.hasWork() || mirrors.hasWork())) {
      wake();
    }
  }

  /** There is something to do; any context. */
  void wake() {
    if (life.get() == OPEN && life.compareAndSet(OPEN, STARTED)) {
      start();
    } else if (sleeping) {
      LockSupport.unpark(owner);
    }
  }

  /** Starts a thread; for the watch also when the one before is stuck in the bus. */
  void start() {
    Thread t =
        Thread.ofVirtual() // as many as there are devices
            .name("ib-" + device + "-events")
            .inheritInheritableThreadLocals(false)
            .unstarted(this);
    // whichever driver's thread brought the first event: its class loader is not kept alive by us
    t.setContextClassLoader(Dispatcher.class.getClassLoader());
    owner = t;
    try {
      t.start();
    } catch (OutOfMemoryError e) { // no more threads: the next event tries again
      owner = null;
      life.compareAndSet(STARTED, OPEN);
      hub.reports().trouble(device, "cannot start the event dispatcher", e);
    }
  }

  @Override
  public void run() {
    EventRing.Entry entry = new EventRing.Entry();
    while (true) {
      Step step;
      try {
        step = step(entry);
      } catch (Throwable t) { // never leave a device without its dispatcher
        hub.reports().trouble(device, "the event dispatcher failed, and goes on", t);
        step = Step.WORKED;
      }
      if (step == Step.DISOWNED) {
        return; // another thread has taken over
      }
      if (step == Step.IDLE) {
        if (isOver()) {
          finish();
          return;
        }
        sleep();
      }
    }
  }

  private Step step(EventRing.Entry entry) {
    work.tick(hub.clock().nanoTime());
    if (work.ready() && events.poll(entry)) {
      EventType type = entry.type;
      boolean still =
          type == null
              ? work.event(EventType.EVENT_OVERFLOW, 0, entry.lost, hub.clock().nanoTime())
              : work.event(type, entry.port, 0, entry.timeNs);
      return still ? Step.WORKED : Step.DISOWNED;
    }
    if (mirrors.poll(entry)) {
      return work.mirror(entry.affiliated, entry.lost) ? Step.WORKED : Step.DISOWNED;
    }
    return Step.IDLE;
  }

  private void sleep() {
    sleeping = true;
    try {
      // looked at again after sleeping was set: who adds work from here on sees it and unparks
      if (!mirrors.hasWork() && !(work.ready() && events.hasWork()) && !isOver()) {
        long nanos = work.remainingNs(hub.clock().nanoTime());
        if (nanos > 0) {
          hub.clock().park(this, nanos);
        }
      }
    } finally {
      sleeping = false;
    }
  }

  private boolean isOver() {
    return events.isDone() && mirrors.isDone();
  }

  private void finish() {
    life.set(ENDED);
    work.end();
    done.countDown();
  }

  /**
   * Refuses further events; those accepted are still dispatched.
   *
   * @return how many were accepted and never will be, since it was never opened
   */
  int close() {
    events.close();
    mirrors.close();
    if (life.compareAndSet(UNOPENED, ENDED) || (isOver() && life.compareAndSet(OPEN, ENDED))) {
      work.end();
      done.countDown();
      return events.size();
    }
    wake();
    return 0;
  }

  /**
   * Waits until the thread has ended: a fence must hold, so as long as the driver it asks takes,
   * but not longer than any fence; reported every while.
   *
   * @return false when it has not: after the time, and at once for the dispatcher itself, in a
   *     driver that unregisters inside a query
   */
  boolean awaitEnd() {
    long start = System.nanoTime();
    End end = End.TIMEOUT;
    for (long left = hub.waits().deadlineNs(); left > 0 && !end.done(); ) {
      long slice = Math.min(left, hub.config().stuckReportNs());
      end = hub.waits().await(new Ended(this), Waits.Rank.CLOSES, slice);
      if (!end.done()) {
        reportStuck();
        wake(); // should there have been no thread to start before
      }
      left = end.cycle().isEmpty() ? hub.waits().deadlineNs() - (System.nanoTime() - start) : 0;
    }
    return end.done();
  }

  private record Ended(Dispatcher dispatcher) implements Waits.Target {
    @Override
    public boolean over() {
      Thread t = dispatcher.owner;
      return dispatcher.done.getCount() == 0 && (t == null || !t.isAlive());
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = dispatcher.owner;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the event dispatcher of " + dispatcher.device;
    }
  }

  private void reportStuck() {
    Thread t = owner;
    String where = t == null ? "no thread" : Stacks.text(t);
    hub.reports().trouble(device, "the event dispatcher does not end: " + where, null);
  }
}
