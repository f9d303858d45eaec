package ib.core.internal.event;

import ib.core.client.Incidents;
import ib.core.verbs.AnyContext;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The timer of the event path. While a device has events under way, the watch wakes, at least once
 * per return timeout, the dispatchers that have an overdue event or a refresh to repeat, and
 * replaces poster threads that are stuck in a bus. One thread per midlayer, from the first device
 * to the close of the hub. The thread sleeps while no device has an event under way: it sets {@code
 * resting} before it looks at the devices, and {@link #stir} is called after each new event, so one
 * of the two sees the other.
 */
final class EventWatch implements Runnable {
  private static final long FAR_NS = TimeUnit.DAYS.toNanos(1);

  private final Incidents incidents =
      new Incidents("ib-events-watch", LoggerFactory.getLogger(EventWatch.class)::warn);
  private final EventHub hub;
  private final Map<String, DeviceEvents> devices;
  private final ThreadFactory threads;
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile boolean closed;
  private volatile boolean resting;
  private long next; // nanoseconds to the next check; used on the watch's thread only

  EventWatch(EventHub hub, Map<String, DeviceEvents> devices) {
    this(
        hub, devices, Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).factory());
  }

  EventWatch(EventHub hub, Map<String, DeviceEvents> devices, ThreadFactory threads) {
    this.hub = hub;
    this.devices = devices;
    this.threads = threads;
  }

  /** Checks the devices now, and starts the thread for the first device. */
  void wake() {
    if (thread.get() == null) {
      Thread t = threads.newThread(this);
      t.setName("ib-events-watch");
      t.setContextClassLoader(EventWatch.class.getClassLoader());
      if (thread.compareAndSet(null, t)) {
        try {
          t.start();
        } catch (Throwable e) { // for example no memory for a thread: the next device tries again
          thread.set(null);
          throw e;
        }
      }
    }
    LockSupport.unpark(thread.get());
  }

  /** An event is under way: ends the rest of the watch. Any context. */
  @AnyContext
  void stir() {
    if (resting) {
      resting = false;
      LockSupport.unpark(thread.get());
    }
  }

  @Override
  public void run() {
    while (!closed) {
      incidents.serve(this::turn);
    }
  }

  private void turn() {
    long now = hub.clock.nanoTime();
    next = hub.config.returnTimeoutNs();
    devices.values().forEach(d -> incidents.outlive(() -> check(d, now)));
    resting = true;
    if (devices.values().stream().allMatch(DeviceEvents::rests)) {
      next = FAR_NS;
    } else {
      resting = false;
    }
    hub.clock.parkUntil(this, now + next);
  }

  /**
   * Checks one device. An event posted after this check is overdue one timeout later, so not before
   * the next check.
   */
  private void check(DeviceEvents events, long now) {
    long remaining = events.watch(now);
    if (remaining > 0) {
      next = Math.min(next, remaining);
    }
  }

  void close() {
    closed = true;
    LockSupport.unpark(thread.get());
  }
}
