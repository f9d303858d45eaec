package ib.driver.verbs;

import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.driver.base.Devices;
import ib.driver.base.osgi.Services;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.object.Sysfs;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.cm.ManagedService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver in OSGi: one device for each RDMA device of the host that the configuration with PID
 * {@code ib.driver.verbs} selects. Without a configuration it opens none, because a device that is
 * open makes {@code rdma link delete} wait.
 */
@Component(
    name = VerbsDriver.PID,
    service = ManagedService.class,
    property = "service.pid=" + VerbsDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
public final class VerbsDriver implements ManagedService {
  /** The PID. */
  static final String PID = "ib.driver.verbs";

  /**
   * Service property: the names of the devices that the driver has found and wants plugged,
   * String[]. It is there once a configuration was taken, and {@code ./ib exec} waits for it.
   */
  static final String WANTED = "ib.devices.wanted";

  private final Logger log = LoggerFactory.getLogger(VerbsDriver.class);
  private final Libraries libraries = new Libraries(Libibverbs.NAME);
  private final Devices<VerbsConfig> devices;
  private final HostDevices host;
  private final ServiceRegistration<HostDevices> announced;
  private @Nullable HostNews news; // guarded by the monitor of this

  /**
   * Starts the driver.
   *
   * @param context the bundle's context
   */
  @Activate
  public VerbsDriver(BundleContext context) {
    Sysfs sysfs = Sysfs.ofHost();
    devices =
        new Devices<>(
            VerbsReader::read,
            config -> VerbsDevice.plug(config, libraries, sysfs, log::warn),
            new Services<>(context),
            this::report);
    host = new HostDevices(sysfs, devices, log::info);
    announced = context.registerService(HostDevices.class, host, new Hashtable<>());
  }

  /**
   * Takes a configuration; null when it was deleted. Never throws: a wrong value is reported in the
   * log, and the devices stay as they are.
   */
  @Override
  public void updated(@Nullable Dictionary<String, ?> properties) {
    if (properties == null) {
      host.select(VerbsReader.Selection.NONE);
    } else {
      select(properties);
    }
    announce(); // after a refusal too: ./ib exec does not wait for it
  }

  private void select(Dictionary<String, ?> properties) {
    Map<String, Object> values = new TreeMap<>();
    for (String key : Collections.list(properties.keys())) {
      values.put(key, properties.get(key));
    }
    try {
      VerbsReader.Selection selection = VerbsReader.selection(values);
      watch();
      host.select(selection);
    } catch (IbException e) {
      log.error("{}", e.getMessage());
    }
  }

  /** Starts to watch the host, with the first configuration. */
  private synchronized void watch() {
    if (news == null) {
      HostNews made = new HostNews(libraries.library().libc(), this::look, log::warn);
      made.start();
      news = made;
    }
  }

  private void look() {
    if (host.look()) {
      announce();
    }
  }

  /** Tells which devices are to be there. Of two threads that do, the later finds out. */
  private void announce() {
    Set<String> names;
    do {
      names = host.names();
      Hashtable<String, Object> properties = new Hashtable<>();
      properties.put(WANTED, names.toArray(String[]::new));
      announced.setProperties(properties);
    } while (!names.equals(host.names()));
  }

  /** Unplugs all devices. */
  @Deactivate
  void deactivate() {
    HostNews ended;
    synchronized (this) {
      ended = news;
      news = null;
    }
    if (ended != null) {
      ended.close();
    }
    announced.unregister();
    devices.stop();
  }

  private void report(String text, Throwable why) {
    if (why instanceof IbException) {
      log.error(sentence(text, why)); // the text is complete without a stack trace
    } else {
      log.error(text, why);
    }
  }

  /** {@return a report; of a name in use with what renames the devices, which no file names} */
  static String sentence(String text, Throwable why) {
    return why instanceof IbExistsException
        ? text + "; '" + VerbsKeys.PREFIX.name() + "' in conf/" + PID + ".cfg renames it"
        : text;
  }
}
