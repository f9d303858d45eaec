package ib.driver.soft;

import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.cm.ManagedService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fabric that all devices of the driver are on, and its configuration, PID {@code
 * ib.driver.soft.fabric} ({@link Medium#SCHEMA}). A bad value is reported, and what there is goes
 * on; but while the first topology is refused there are no devices.
 */
@Component(
    name = SharedFabric.PID,
    service = {ManagedService.class, SharedFabric.class},
    property = "service.pid=" + SharedFabric.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
public final class SharedFabric implements ManagedService {
  /** The PID. */
  static final String PID = "ib.driver.soft.fabric";

  private final Logger log = LoggerFactory.getLogger(SharedFabric.class);
  private final Medium medium = new Medium(log::warn);

  /** Starts without an ibsim server and without a topology. */
  @Activate
  public SharedFabric() {}

  Fabric fabric() {
    return medium.fabric;
  }

  /** Closes the ibsim server and forgets the topology. OSGi has closed the devices before. */
  @Deactivate
  void deactivate() {
    medium.close();
  }

  @Override
  public void updated(@Nullable Dictionary<String, ?> properties) {
    Map<String, Object> values = new TreeMap<>();
    if (properties != null) {
      for (String key : Collections.list(properties.keys())) {
        values.put(key, properties.get(key));
      }
    }
    try {
      configure(values);
    } catch (IbException e) {
      log.error(e.getMessage());
    }
  }

  /**
   * Takes a configuration over.
   *
   * @param values raw values
   * @throws IbInvalidException when one is wrong; what is right is in effect
   */
  void configure(Map<String, ?> values) {
    medium.configure(values);
  }
}
