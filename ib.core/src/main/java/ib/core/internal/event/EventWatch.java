package ib.core.internal.event;

import ib.core.client.Incidents;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Looks after dispatchers that are stuck in a bus, once per return timeout. One thread per
 * midlayer, from the first device to the end; it sleeps while there is no device.
 */
final class EventWatch implements Runnable {
  private final Incidents incidents =
      new Incidents("ib-events-watch", LoggerFactory.getLogger(EventWatch.class)::warn);
  private final EventHub hub;
  private final Map<String, DeviceEvents> devices;
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile boolean closed;

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
    devices.values().forEach(d -> incidents.outlive(() -> d.watch(hub.clock().nanoTime())));
    long nanos = devices.isEmpty() ? Long.MAX_VALUE : hub.config().returnTimeoutNs();
    hub.clock().park(this, nanos);
  }

  void close() {
    closed = true;
    LockSupport.unpark(thread.get());
  }
}
