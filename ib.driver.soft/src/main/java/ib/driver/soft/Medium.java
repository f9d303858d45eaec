package ib.driver.soft;

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
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is between the devices, as its configuration says ({@link SoftFabricOptions}). */
final class Medium implements AutoCloseable {
  private static final String IBSIM_PORT = "ibsim.port";
  private static final String SM_PRIORITY = "sm.priority";
  private static final String SM_KEY = "sm.key";
  private static final String TOPOLOGY = "topology";
  private static final Pattern KEY = Pattern.compile("0[xX]([0-9a-fA-F]{1,16})|([0-9]{1,18})");
  private static final int PRIORITY_MOST = 15;
  private static final int PORT_MOST = 65_471;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final Consumer<String> log;
  private int port; // under this
  private String topology = ""; // under this
  private @Nullable IbsimDoor door; // under this
  private @Nullable Subnet described; // under this

  /**
   * Without a door for management software, and without a topology.
   *
   * @param log takes a line
   */
  Medium(Consumer<String> log) {
    this.log = log;
  }

  Fabric fabric() {
    return fabric;
  }

  /** Closes the door and forgets the topology; the devices are gone by then. */
  @Override
  public synchronized void close() {
    door(0);
    topology("");
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
    settings.end(SoftFabric.PID);
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
      door = new IbsimDoor(fabric, newPort, log);
      port = newPort;
    }
  }
}
