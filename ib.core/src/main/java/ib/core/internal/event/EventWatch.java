package ib.core.internal.event;

import ib.core.client.Incidents;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The clock of the event path: wakes the dispatchers when an event is overdue or a refresh is to be
 * tried again, and looks after threads that are stuck in a bus; once per return timeout at least.
 * One thread per midlayer, from the first device to the end; it sleeps while there is no device.
 */
final class EventWatch implements Runnable {
  private static final long FAR_NS = TimeUnit.DAYS.toNanos(1);

  private final Incidents incidents =
      new Incidents("ib-events-watch", LoggerFactory.getLogger(EventWatch.class)::warn);
  private final EventHub hub;
  private final Map<String, DeviceEvents> devices;
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile boolean closed;
  private long next; // nanoseconds to the next look; for the thread only

  EventWatch(EventHub hub, Map<String, DeviceEvents> devices) {
    this.hub = hub;
    this.devices = devices;
  }

  /** A device has come. */
  void wake() {
    if (thread.get() == null) {
      Thread t =
          Thread.ofPlatform()
              .name("ib-events-watch")
              .daemon()
              .inheritInheritableThreadLocals(false)
              .unstarted(this);
      t.setContextClassLoader(EventWatch.class.getClassLoader());
      if (thread.compareAndSet(null, t)) {
        t.start();
      }
    }
    LockSupport.unpark(thread.get());
  }

  @Override
  public void run() {
    while (!closed) {
      incidents.serve(this::turn);
    }
  }

  private void turn() {
    long now = hub.clock().nanoTime();
    next = devices.isEmpty() ? FAR_NS : hub.config().returnTimeoutNs();
    devices.values().forEach(d -> incidents.outlive(() -> look(d, now)));
    hub.clock().parkUntil(this, now + next);
  }

  /** What is posted after this look is overdue a whole timeout later, so after the next look. */
  private void look(DeviceEvents events, long now) {
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
