package ib.core.internal.osgi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.LocalServices;
import ib.core.internal.event.EventHub;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;
import org.osgi.util.tracker.ServiceTrackerCustomizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the events of all devices to the EventAdmin of the highest ranking, while there is one (D8,
 * F24).
 *
 * <p>This class can be loaded without the package {@code org.osgi.service.event}: the classes that
 * use it are loaded when the first EventAdmin is there.
 */
final class EventAdminBridge {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private static final String EVENT_ADMIN = "org.osgi.service.event.EventAdmin";

  private final BundleContext context;
  private final EventHub hub;
  private final ServiceTracker<Object, Object> tracker;

  // by ranking, the highest last; the monitor guards the hub's bus, too. No thread calls the
  // framework with the monitor held: the call may run code of any bundle
  @GuardedBy("this")
  private final ConcurrentSkipListMap<ServiceReference<Object>, EventAdminBus> admins =
      new ConcurrentSkipListMap<>();

  @GuardedBy("this")
  private @Nullable BusHandler handler;

  @GuardedBy("this")
  private boolean heard; // the handler is registered: posted events come back to it

  /**
   * Creates it, closed.
   *
   * @throws InvalidSyntaxException never: the filter is right
   */
  EventAdminBridge(BundleContext context, EventHub hub) throws InvalidSyntaxException {
    this.context = context;
    this.hub = hub;
    this.tracker =
        new ServiceTracker<>(
            context, FrameworkUtil.createFilter(LocalServices.of(EVENT_ADMIN)), new Admins());
  }

  /** Begins to look for an EventAdmin; without one, the core calls handlers directly. */
  void open() {
    hub.bus(null);
    tracker.open();
  }

  /** Stops using an EventAdmin; the core calls handlers directly afterwards. */
  void close() {
    tracker.close();
    BusHandler last;
    synchronized (this) {
      last = heard ? handler : null; // else its registrar sees that it is not wanted
      handler = null;
      heard = false;
      select();
    }
    if (last != null) {
      last.unregister();
    }
  }

  private void add(ServiceReference<Object> reference, Object admin) {
    BusHandler fresh = new BusHandler(context, hub);
    EventAdminBus bus;
    synchronized (this) {
      handler = handler == null ? fresh : handler;
      bus = new EventAdminBus(admin, handler);
      admins.put(reference, bus);
      select();
    }
    if (bus.isHeardBy(fresh)) {
      register(fresh);
    }
  }

  /** The first one that has an EventAdmin registers the handler, before anything is posted. */
  private void register(BusHandler fresh) {
    fresh.register();
    boolean wanted;
    synchronized (this) {
      wanted = fresh.equals(handler);
      heard |= wanted;
      select();
    }
    if (!wanted) {
      fresh.unregister();
    }
  }

  private synchronized void remove(ServiceReference<Object> reference) {
    admins.remove(reference);
    select();
  }

  @GuardedBy("this")
  private void select() {
    var best = heard ? admins.lastEntry() : null;
    hub.bus(best == null ? null : best.getValue());
  }

  private final class Admins implements ServiceTrackerCustomizer<Object, Object> {
    @Override
    public @Nullable Object addingService(ServiceReference<Object> reference) {
      Object admin = context.getService(reference);
      if (admin == null) {
        return null;
      }
      try {
        add(reference, admin);
      } catch (LinkageError e) {
        LOG.error("{} cannot be used: refresh the bundle ib.core", reference.getBundle(), e);
        context.ungetService(reference);
        return null;
      }
      return admin;
    }

    @Override
    public void modifiedService(ServiceReference<Object> reference, Object admin) {
      remove(reference); // its ranking may be another
      add(reference, admin);
    }

    @Override
    public void removedService(ServiceReference<Object> reference, Object admin) {
      remove(reference);
      context.ungetService(reference);
    }
  }
}
