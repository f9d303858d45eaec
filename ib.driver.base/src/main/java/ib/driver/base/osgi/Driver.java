package ib.driver.base.osgi;

import ib.core.client.LocalServices;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceListener;
import org.osgi.service.cm.ManagedServiceFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The base of a driver's component: one device for each configuration of its factory PID. One
 * component has all devices, instead of a factory component with an instance per configuration, for
 * three reasons. First, devices must be removed in the reverse order of their registration when the
 * bundle stops (CC-22); SCR and the framework use the order of registration. Second, a changed
 * configuration must be checked before the running device is touched, because the last good one
 * must stay (F25). Third, no client's {@code add} may run while SCR's locks are held, because SCR
 * gives up after a time limit and deactivates the component.
 *
 * @param <C> the driver's kind of configuration
 */
public abstract class Driver<C extends DeviceConfig<C>> implements ManagedServiceFactory {
  private final Logger log = LoggerFactory.getLogger(getClass());
  private final String name;
  private final BundleContext context;
  private final Devices<C> devices;
  private final ServiceListener freed = this::changed;

  /**
   * Starts without devices; the Configuration Admin's configurations add them.
   *
   * @param context the bundle's context
   * @param pid the factory PID
   * @param name name of the driver for users
   * @param reader reads configurations
   * @param factory builds devices
   */
  protected Driver(
      BundleContext context,
      String pid,
      String name,
      Devices.Reader<C> reader,
      Plugged.Factory<C> factory) {
    this.name = name;
    this.context = context;
    devices = new Devices<>(reader, factory, new Services<>(context), this::report);
    devices.expect(Services.configured(context, pid));
    try {
      context.addServiceListener(freed, LocalServices.of(IbDevice.class.getName()));
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException("a wrong filter", e);
    }
  }

  /** A device has gone, or has another name: what was refused because of it is tried again. */
  private void changed(ServiceEvent event) {
    if (event.getType() != ServiceEvent.REGISTERED) {
      devices.again();
    }
  }

  /** Builds all outdated devices again, after their surroundings have changed. Does not wait. */
  protected final void review() {
    devices.review();
  }

  /** Unplugs all devices, the last one first, and waits until they are destroyed. */
  protected final void stop() {
    context.removeServiceListener(freed);
    devices.stop();
  }

  @Override
  public final String getName() {
    return name;
  }

  /**
   * Adds or changes a configuration. Never throws: a wrong value is reported in the log, and the
   * running device stays as it is.
   */
  @Override
  public final void updated(String pid, Dictionary<String, ?> properties) {
    Map<String, Object> values = new TreeMap<>();
    for (String key : Collections.list(properties.keys())) {
      values.put(key, properties.get(key));
    }
    devices.configure(pid, values);
  }

  @Override
  public final void deleted(String pid) {
    devices.delete(pid);
  }

  private void report(String text, Throwable why) {
    if (why instanceof IbException) {
      log.error(text); // the text is complete without a stack trace
    } else {
      log.error(text, why);
    }
  }
}
