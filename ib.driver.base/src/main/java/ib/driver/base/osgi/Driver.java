package ib.driver.base.osgi;

import ib.core.verbs.IbException;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Devices;
import ib.driver.base.Plugged;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ManagedServiceFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the component of a driver is: one device for each configuration of its factory PID. It is
 * one component that owns all instances, not a factory component with an instance per
 * configuration, for three reasons. Devices must go in the reverse order of their registration when
 * the bundle stops (CC-22); SCR deactivates instances, and the framework unregisters services, in
 * the order in which they came. A changed configuration must be judged before the running device is
 * touched, because the last good one has to go on (F25). And no client's add may run under SCR's
 * locks, which give up after a while and then deactivate a device in the middle of it.
 *
 * @param <C> the driver's kind of configuration
 */
public abstract class Driver<C extends DeviceConfig<C>> implements ManagedServiceFactory {
  private final Logger log = LoggerFactory.getLogger(getClass());
  private final String name;
  private final Devices<C> devices;

  /**
   * Starts without devices; the Configuration Admin brings them.
   *
   * @param context of the bundle
   * @param pid the factory PID
   * @param name what people call it
   * @param reader makes configurations
   * @param factory makes devices
   */
  protected Driver(
      BundleContext context,
      String pid,
      String name,
      Devices.Reader<C> reader,
      Plugged.Factory<C> factory) {
    this.name = name;
    devices = new Devices<>(reader, factory, new Services<>(context), this::report);
    devices.expect(Services.configured(context, pid));
  }

  /** What is around the devices has changed: those that are outdated are built anew. */
  protected final void review() {
    devices.review();
  }

  /** Takes all devices down, last in first out; waits until nothing is left of them. */
  protected final void stop() {
    devices.stop();
  }

  @Override
  public final String getName() {
    return name;
  }

  /** Never throws: a bad value is reported once, here, and what runs goes on. */
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
      log.error(text); // says it all
    } else {
      log.error(text, why);
    }
  }
}
