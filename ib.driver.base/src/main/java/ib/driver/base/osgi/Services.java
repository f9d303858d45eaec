package ib.driver.base.osgi;

import ib.core.client.LocalServices;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverDevice;
import ib.core.spi.DriverRegistry;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.driver.base.Announcer;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import ib.driver.base.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Hashtable;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.slf4j.LoggerFactory;

/**
 * Announces devices as services of the OSGi registry. The slots' threads call.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Services<C extends DeviceConfig<C>> implements Announcer<C> {
  private final BundleContext context;

  /**
   * Announces devices on behalf of a bundle.
   *
   * @param context the bundle's context
   */
  public Services(BundleContext context) {
    this.context = context;
  }

  /**
   * Returns the configurations that exist already, for {@link Devices#expect}.
   *
   * @param context the bundle's context
   * @param factoryPid factory PID of the driver
   * @return PIDs of the configurations; none when there is no Configuration Admin yet
   */
  public static List<String> configured(BundleContext context, String factoryPid) {
    ServiceReference<ConfigurationAdmin> reference = best(context, ConfigurationAdmin.class);
    ConfigurationAdmin admin = reference == null ? null : context.getService(reference);
    if (admin == null) {
      return List.of();
    }
    try {
      Configuration[] all = admin.listConfigurations("(service.factoryPid=" + factoryPid + ")");
      return all == null ? List.of() : Arrays.stream(all).map(Configuration::getPid).toList();
    } catch (IOException | InvalidSyntaxException e) {
      throw new IllegalStateException("cannot list the configurations of " + factoryPid, e);
    } finally {
      context.ungetService(reference);
    }
  }

  @Override
  public Optional<IbExistsException> conflict(String pid, C config) {
    for (ServiceReference<IbDevice> other : others()) {
      String user =
          "device " + other.getProperty(DeviceSlot.DEVICE_NAME) + " of " + other.getBundle();
      if (config.name().equals(other.getProperty(DeviceSlot.DEVICE_NAME))) {
        return Optional.of(Devices.inUse(pid, Settings.NAME, config.name(), user));
      }
      if (hex(config.guid()).equals(other.getProperty(DeviceSlot.NODE_GUID))) {
        return Optional.of(Devices.inUse(pid, Settings.GUID, hex(config.guid()), user));
      }
    }
    return Optional.empty();
  }

  @Override
  public Offer offer(DeviceSlot slot) {
    String name = slot.name();
    ServiceRegistration<DeviceSlot> registration =
        context.registerService(DeviceSlot.class, slot, slotProperties(name, false));
    return new Offer() {
      @Override
      public void plugged(boolean in) {
        registration.setProperties(slotProperties(name, in));
      }

      @Override
      public void end() {
        registration.unregister();
      }
    };
  }

  @Override
  public Runnable announce(Plugged<C> plugged) {
    DriverDevice device = plugged.device();
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put(DeviceSlot.DEVICE_NAME, device.name());
    properties.put(DeviceSlot.NODE_GUID, hex(device.nodeGuid()));
    List<ServiceRegistration<?>> services = new ArrayList<>();
    try {
      services.add(context.registerService(IbDevice.class, device, properties));
      plugged.offers().forEach((type, it) -> services.add(register(type, it, device.name())));
    } catch (Throwable e) { // of the driver, too
      unregister(services).forEach(e::addSuppressed);
      throw e; // S28: the caller unplugs the device, so no client may find it
    }
    return () -> {
      List<RuntimeException> failures = unregister(services);
      if (!failures.isEmpty()) {
        RuntimeException first = failures.removeFirst();
        failures.forEach(first::addSuppressed);
        throw first;
      }
    };
  }

  /** Unregisters all services, the last first. {@return what has failed} */
  private static List<RuntimeException> unregister(List<ServiceRegistration<?>> services) {
    List<RuntimeException> failures = new ArrayList<>();
    for (ServiceRegistration<?> service : services.reversed()) {
      try {
        service.unregister();
      } catch (Throwable e) { // the next one is unregistered
        failures.add(e instanceof RuntimeException r ? r : new IllegalStateException(e));
      }
    }
    return failures;
  }

  @Override
  public Waits waits() {
    ServiceReference<DriverRegistry> reference = best(context, DriverRegistry.class);
    DriverRegistry core = reference == null ? null : context.getService(reference);
    if (core == null) {
      return Announcer.super.waits();
    }
    try {
      return core.waits();
    } finally {
      context.ungetService(reference);
    }
  }

  private ServiceRegistration<?> register(Class<?> type, Object service, String name) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put(DeviceSlot.DEVICE_NAME, name);
    return context.registerService(type.getName(), service, properties);
  }

  private Iterable<ServiceReference<IbDevice>> others() {
    try {
      return local(context, IbDevice.class)
          .filter(r -> !Objects.equals(r.getBundle(), context.getBundle()))
          .toList();
    } catch (IllegalStateException e) { // the bundle has stopped, so Devices takes nothing (A15)
      LoggerFactory.getLogger(Services.class).debug("asked too late", e);
      return List.of();
    }
  }

  private static <T> @Nullable ServiceReference<T> best(BundleContext context, Class<T> type) {
    return local(context, type).max(Comparator.naturalOrder()).orElse(null);
  }

  private static <T> Stream<ServiceReference<T>> local(BundleContext context, Class<T> type) {
    try {
      return context.getServiceReferences(type, LocalServices.ONLY).stream();
    } catch (InvalidSyntaxException e) {
      throw new IllegalArgumentException("a wrong filter", e);
    }
  }

  private static Hashtable<String, Object> slotProperties(String name, boolean in) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put(DeviceSlot.DEVICE_NAME, name);
    properties.put(DeviceSlot.PLUGGED, in);
    return properties;
  }

  private static String hex(long guid) {
    return String.format("%016x", guid);
  }
}
