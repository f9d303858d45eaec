package ib.core.internal.osgi;

import ib.core.client.EventTopics;
import ib.core.internal.event.EventHub;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventConstants;
import org.osgi.service.event.EventHandler;

/**
 * The core's one handler of its own events: it receives the events that the core's dispatchers
 * posted to an EventAdmin, and hands them to the typed handlers (D8).
 */
final class BusHandler implements EventHandler {
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);

  private final EventHub hub;
  private final Culprits culprits;
  private final BundleContext context;
  private volatile @Nullable ServiceRegistration<EventHandler> registration;
  private final AtomicBoolean looking = new AtomicBoolean();
  // written by the thread that has set looking
  private volatile long toldNs = System.nanoTime() - QUIET_NS;

  BusHandler(BundleContext context, EventHub hub) {
    this.hub = hub;
    this.culprits = new Culprits(context);
    this.context = context;
  }

  /** Registers the handler. */
  void register() {
    registration = context.registerService(EventHandler.class, this, properties());
  }

  private static Dictionary<String, Object> properties() {
    Dictionary<String, Object> p = new Hashtable<>();
    p.put(EventConstants.EVENT_TOPIC, new String[] {EventTopics.ALL});
    p.put(EventConstants.EVENT_DELIVERY, EventConstants.DELIVERY_ASYNC_ORDERED);
    return p;
  }

  @Override
  public void handleEvent(Event event) {
    Map<String, Object> properties = new HashMap<>();
    for (String name : new String[] {EventTopics.DEVICE, EventTopics.SEQUENCE, EventTopics.TIME}) {
      Object value = event.getProperty(name);
      if (value != null) {
        properties.put(name, value);
      }
    }
    hub.onEvent(event.getTopic(), properties);
  }

  /**
   * An event has not come back: finds out who holds it up, and ends a denial of this handler,
   * should it have been denied (F23). Elsewhere, since a dispatcher does not wait for foreign code.
   */
  void overdue(String device, long sequence) {
    if (looking.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("ib-events-look")
          .inheritInheritableThreadLocals(false)
          .start(() -> look(device, sequence));
    }
  }

  private void look(String device, long sequence) {
    try {
      readmit(device);
      long now = System.nanoTime();
      if (now - toldNs < QUIET_NS) {
        return; // once a minute is enough, on a busy machine too (B6)
      }
      toldNs = now;
      String who = culprits.text();
      String what = "the EventAdmin does not return event " + sequence + ": " + who;
      hub.reports().trouble(device, what, null);
    } catch (Throwable e) { // the EventAdmin's
      hub.reports().trouble(device, "cannot find out who holds up the EventAdmin", e);
    } finally {
      looking.set(false);
    }
  }

  /** Any change of the properties makes the EventAdmin forget that it denied the handler. */
  private void readmit(String device) {
    ServiceRegistration<EventHandler> r = registration;
    if (r == null) {
      return; // it was not denied: it is not there yet
    }
    try {
      r.setProperties(properties());
    } catch (IllegalStateException e) {
      hub.reports().trouble(device, "the core's event handler is gone: the bundle stops", e);
    }
  }

  void unregister() {
    ServiceRegistration<EventHandler> r = registration;
    if (r != null) {
      r.unregister();
    }
  }
}
