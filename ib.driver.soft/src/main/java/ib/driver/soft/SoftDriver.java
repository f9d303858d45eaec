package ib.driver.soft;

import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.driver.base.Devices;
import ib.driver.base.osgi.Services;
import ib.driver.soft.fabric.Fabric;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ManagedServiceFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver: one device per configuration of factory PID {@code ib.driver.soft} ({@link
 * SoftOptions}).
 *
 * <p>It is one component that owns all instances, not a factory component with an instance per
 * configuration, for three reasons. Devices must go in the reverse order of their registration when
 * the bundle stops (CC-22); SCR deactivates instances, and the framework unregisters services, in
 * the order in which they came. A changed configuration must be judged before the running device is
 * touched, because the last good one has to go on (F25). And no client's add may run under SCR's
 * locks, which give up after a while and then deactivate a device in the middle of it.
 *
 * <p>It provides no {@link IbDevice} itself, since SCR would announce it before it is built: a
 * device is registered by hand, last (S27), and unregistered by hand, first (S28). Each instance
 * also offers a {@link DeviceSlot}, which stays while the device is unplugged.
 */
@Component(
    name = SoftDriver.PID,
    service = ManagedServiceFactory.class,
    property = "service.pid=" + SoftDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
@Designate(ocd = SoftOptions.class, factory = true)
public final class SoftDriver implements ManagedServiceFactory {
  /** The factory PID. */
  static final String PID = "ib.driver.soft";

  private final Logger log = LoggerFactory.getLogger(SoftDriver.class);
  private final Devices<SoftConfig> devices;

  /**
   * Starts without devices; the Configuration Admin brings them.
   *
   * @param context of the bundle
   * @param medium what the devices are on
   */
  @Activate
  public SoftDriver(BundleContext context, @Reference SoftFabric medium) {
    Fabric fabric = medium.fabric();
    String version = context.getBundle().getVersion().toString();
    devices =
        new Devices<>(
            ConfigReader::read,
            config -> SoftDevice.plug(fabric, config, version),
            new Services<>(context),
            this::report);
    devices.expect(Services.configured(context, PID));
  }

  /** Takes all devices down, last in first out; waits until nothing is left of them. */
  @Deactivate
  void deactivate() {
    devices.stop();
  }

  @Override
  public String getName() {
    return "ib soft devices";
  }

  /** Never throws: a bad value is reported once, here, and what runs goes on. */
  @Override
  public void updated(String pid, Dictionary<String, ?> properties) {
    Map<String, Object> values = new TreeMap<>();
    for (String key : Collections.list(properties.keys())) {
      values.put(key, properties.get(key));
    }
    devices.configure(pid, values);
  }

  @Override
  public void deleted(String pid) {
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
