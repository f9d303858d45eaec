package ib.driver.rxe;

import ib.core.verbs.IbException;
import ib.driver.base.Devices;
import ib.driver.base.osgi.Services;
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
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver: one device per configuration of factory PID {@code ib.driver.rxe} ({@link
 * RxeOptions}). One component owns all instances and registers devices by hand, last, and takes
 * them back first; {@code ib.driver.base} says why.
 */
@Component(
    name = RxeDriver.PID,
    service = ManagedServiceFactory.class,
    property = "service.pid=" + RxeDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
@Designate(ocd = RxeOptions.class, factory = true)
public final class RxeDriver implements ManagedServiceFactory {
  /** The factory PID. */
  static final String PID = "ib.driver.rxe";

  private final Logger log = LoggerFactory.getLogger(RxeDriver.class);
  private final Devices<RxeConfig> devices;

  /**
   * Starts without devices; the Configuration Admin brings them.
   *
   * @param context of the bundle
   */
  @Activate
  public RxeDriver(BundleContext context) {
    String version = context.getBundle().getVersion().toString();
    devices =
        new Devices<>(
            RxeReader::read,
            config -> RxeDevice.plug(config, Host.REAL, version, log::warn),
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
    return "ib rxe devices";
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
