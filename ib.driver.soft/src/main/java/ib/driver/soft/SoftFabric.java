package ib.driver.soft;

import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.driver.base.Settings;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.NetFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.osgi.service.cm.ManagedService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fabric that all devices of the driver are on, and its configuration, PID {@code
 * ib.driver.soft.fabric} ({@link SoftFabricOptions}). A bad value is reported, and what there is
 * goes on.
 */
@Component(
    name = SoftFabric.PID,
    service = {ManagedService.class, SoftFabric.class},
    property = "service.pid=" + SoftFabric.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = SoftFabricOptions.class)
public final class SoftFabric implements ManagedService {
  /** The PID. */
  static final String PID = "ib.driver.soft.fabric";

  private static final String IBSIM_PORT = "ibsim.port";
  private static final String SM_PRIORITY = "sm.priority";
  private static final String SM_KEY = "sm.key";
  private static final String TOPOLOGY = "topology";
  private static final Pattern KEY = Pattern.compile("0[xX]([0-9a-fA-F]{1,16})|([0-9]{1,18})");
  private static final int PRIORITY_MOST = 15;
  private static final int PORT_MOST = 65_471;

  private final Logger log = LoggerFactory.getLogger(SoftFabric.class);
  private final Fabric fabric = BuiltinSm.newFabric();
  private int port; // under this
  private String topology = ""; // under this
  private @Nullable IbsimDoor door; // under this
  private @Nullable Subnet described; // under this

  /** Starts without a door, and without a topology. */
  @Activate
  public SoftFabric() {}

  Fabric fabric() {
    return fabric;
  }

  /** Closes the door and forgets the topology; the devices are gone by then. */
  @Deactivate
  synchronized void deactivate() {
    door(0);
    topology("");
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
  synchronized void configure(Map<String, ?> values) {
    Settings settings = new Settings(values, Set.of(IBSIM_PORT, SM_PRIORITY, SM_KEY, TOPOLOGY));
    int newPort = settings.number(IBSIM_PORT, 0, 0, PORT_MOST);
    int priority = settings.number(SM_PRIORITY, 0, 0, PRIORITY_MOST);
    long key = key(settings);
    Object file = settings.value(TOPOLOGY);
    settings.end(PID);
    fabric.smKey(key);
    fabric.smPriority(priority);
    topology(file == null ? "" : file.toString().strip());
    door(newPort);
  }

  private static long key(Settings settings) {
    Object value = settings.value(SM_KEY);
    Matcher m = KEY.matcher(value == null ? "1" : value.toString().strip());
    if (m.matches()) {
      return m.group(1) != null
          ? Long.parseUnsignedLong(m.group(1), 16)
          : Long.parseLong(m.group(2));
    }
    settings.refuse(SM_KEY, "not shown", "64 bits, such as 0x1 or 1");
    return 1;
  }

  private void topology(String file) {
    if (file.equals(topology)) {
      return;
    }
    Subnet before = described;
    Subnet next = null;
    if (!file.isEmpty()) {
      try {
        next = fabric.describe(file, NetFile.read(Files.readString(Path.of(file))));
      } catch (IOException e) {
        throw new IbInvalidException(
            TOPOLOGY + " " + file, "cannot be read: " + e.getMessage(), "a readable file");
      }
    }
    topology = file;
    described = next;
    if (before != null) {
      fabric.forget(before);
    }
  }

  private void door(int newPort) {
    if (newPort == port) {
      return;
    }
    IbsimDoor before = door;
    if (before != null) {
      before.close();
    }
    port = 0;
    door = null;
    if (newPort != 0) {
      door = new IbsimDoor(fabric, newPort, log::warn);
      port = newPort;
    }
  }
}
