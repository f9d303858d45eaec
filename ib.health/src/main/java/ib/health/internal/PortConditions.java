package ib.health.internal;

import ib.core.client.EventTopics;
import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbException;
import ib.core.verbs.PortState;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.condition.Condition;

/**
 * A {@link Condition} for each active port, so that a component can wait for one: {@code
 * osgi.condition.id} is {@code ib.port.active}, and the properties {@code ib.device} and {@code
 * ib.port} (Integer) say which port.
 *
 * <p>The calls of the midlayer, events included, only note that something has changed. One thread
 * looks and registers or unregisters, so a listener of these services may do anything, also wait
 * for the midlayer. A condition therefore follows its port a moment later; code that must end
 * before a device goes is an {@link IbClient}.
 */
@Component(service = IbClient.class, immediate = true)
public final class PortConditions implements IbClient {
  /** The identifier of the conditions. */
  static final String ID = "ib.port.active";

  private final BundleContext context;
  private final Set<IbDevice> devices = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean changed = new AtomicBoolean();
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("ib-conditions").factory());

  private record Place(String device, int port) {}

  // of the worker
  private final Map<Place, ServiceRegistration<Condition>> active = new HashMap<>();

  /**
   * Called by DS.
   *
   * @param context of this bundle
   */
  @Activate
  public PortConditions(BundleContext context) {
    this.context = context;
  }

  /** Called by DS. The framework unregisters what is registered, when the bundle stops. */
  @Deactivate
  public void stop() {
    devices.clear();
    look();
    worker.shutdown();
  }

  @Override
  public String name() {
    return "health";
  }

  @Override
  public Object add(IbDevice device) {
    IbEventHandler handler =
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            look();
          }
        };
    device.registerEventHandler(handler); // before the first look, which then misses nothing
    devices.add(device);
    look();
    return handler;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof IbEventHandler handler) {
      device.unregisterEventHandler(handler);
    }
    devices.remove(device);
    look();
  }

  @Override
  public void renamed(IbDevice device, @Nullable Object clientData, String oldName) {
    look();
  }

  private void look() {
    if (changed.compareAndSet(false, true)) {
      worker.execute(this::update);
    }
  }

  private void update() {
    changed.set(false); // before the look: what changes from now on asks for another
    Set<Place> wanted = ConcurrentHashMap.newKeySet();
    for (IbDevice device : devices) {
      for (int port = 1; port <= device.info().portCount(); port++) {
        if (isActive(device, port)) {
          wanted.add(new Place(device.name(), port));
        }
      }
    }
    for (Place gone : active.keySet().stream().filter(p -> !wanted.contains(p)).toList()) {
      ServiceRegistration<Condition> registration = active.remove(gone);
      if (registration != null) {
        registration.unregister();
      }
    }
    wanted.forEach(place -> active.computeIfAbsent(place, this::register));
  }

  private static boolean isActive(IbDevice device, int port) {
    try {
      PortState state = device.queryPort(port).state();
      return state == PortState.ACTIVE || state == PortState.ACTIVE_DEFER;
    } catch (IbException e) {
      return false; // it is on its way out
    }
  }

  private ServiceRegistration<Condition> register(Place place) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put(Condition.CONDITION_ID, ID);
    properties.put(EventTopics.DEVICE, place.device());
    properties.put(EventTopics.PORT, place.port());
    return context.registerService(Condition.class, Condition.INSTANCE, properties);
  }
}
