package ib.driver.soft;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.config.ConfigKey;
import ib.core.config.ConfigSchema;
import ib.core.verbs.IbInvalidException;
import ib.driver.base.Settings;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.NetFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fabric between the devices, as the configuration describes it ({@link #SCHEMA}). */
final class Medium implements AutoCloseable {
  private static final Pattern KEY = Pattern.compile("0[xX]([0-9a-fA-F]{1,16})|([0-9]{1,18})");

  private static final ConfigKey.Whole IBSIM_PORT =
      new ConfigKey.Whole(
          "ibsim.port",
          0,
          0,
          65_471,
          "UDP port on the loopback interface where management software finds the fabric by ibsim's"
              + " protocol: OpenSM and infiniband-diags with libumad2sim.so,"
              + " IBSIM_SERVER_NAME=127.0.0.1 and IBSIM_SERVER_PORT. Clients have the 64 ports above"
              + " it. 0: no such port.");

  private static final ConfigKey.Whole SM_PRIORITY =
      new ConfigKey.Whole(
          "sm.priority",
          0,
          0,
          15,
          "Priority of the built-in subnet manager. With 1 to 15 it and an OpenSM at ibsim.port"
              + " settle by SMInfo which of them is the master: the higher priority, among equals the"
              + " lower GUID; the other one stands by and takes over when the master falls silent. 0:"
              + " it gives way to any OpenSM at once, and is back when that has gone.");

  private static final ConfigKey.Text SM_KEY =
      new ConfigKey.Text(
          "sm.key",
          "1",
          0,
          true,
          "64 bits, such as 0x1 or 1",
          "SM_Key of the built-in subnet manager; OpenSM's default is 0x1 too. A subnet manager"
              + " that shows another one is not believed: it gets nothing handed over, and what it"
              + " orders is refused. The key is not shown to a requester with another key, nor by the"
              + " subnet administrator. With sm.priority 0, which gives way to any subnet manager, it"
              + " has no effect.");

  private static final ConfigKey.Text TOPOLOGY =
      ConfigKey.Text.of(
          "topology",
          "the name of a readable file",
          "File in ibnetdiscover's format with switches, adapters and their cables. An adapter of the"
              + " file is there when a device of its GUID, or of its description as name, is"
              + " configured, whichever comes first; it has the GUIDs that the file says. What the file"
              + " leaves open is as ibsim has it: GUIDs are counted, links are 4X SDR. LIDs of the file"
              + " are kept. Default: none, adapters are cabled to the switch that they name.");

  /** All keys of the fabric. */
  static final ConfigSchema SCHEMA =
      new ConfigSchema(
          SharedFabric.PID,
          false,
          "ib soft fabric",
          "What is between the software adapters, and which subnet manager manages it. Changes while"
              + " the fabric runs; adapters that a topology puts elsewhere are unplugged and plugged in"
              + " there.",
          List.of(IBSIM_PORT, SM_PRIORITY, SM_KEY, TOPOLOGY));

  final Fabric fabric = BuiltinSm.newFabric();
  private final Consumer<String> log;

  @GuardedBy("this")
  private int port;

  @GuardedBy("this")
  private String topology = "";

  @GuardedBy("this")
  private boolean refused;

  @GuardedBy("this")
  private @Nullable IbsimDoor door;

  @GuardedBy("this")
  private @Nullable Subnet described;

  /**
   * Makes a fabric without an ibsim server and without a topology.
   *
   * @param log takes a line
   */
  Medium(Consumer<String> log) {
    this.log = log;
  }

  /** Closes the ibsim server and forgets the topology. The caller has closed the devices before. */
  @Override
  public synchronized void close() {
    door(0);
    topology("");
  }

  /**
   * Takes a configuration over. What there is goes on when the configuration is wrong; but when it
   * names the first topology, devices stay absent, or go, until it is mended.
   *
   * @param values raw values
   * @throws IbInvalidException when one is wrong; what is right is in effect
   */
  synchronized void configure(Map<String, ?> values) {
    try {
      apply(values);
    } catch (RuntimeException e) { // an Error says nothing of the values: all stays as it was
      boolean first = topology.isEmpty() && !file(values.get(TOPOLOGY.name())).isEmpty();
      refuse(first ? "its topology is refused: " + e.getMessage() : null);
      throw e;
    }
    refuse(null);
  }

  /** Keeps devices absent for a reason; null lifts what was refused before. */
  @GuardedBy("this")
  private void refuse(@Nullable String why) {
    if (refused || why != null) {
      refused = why != null;
      fabric.refuse(why);
    }
  }

  @GuardedBy("this")
  private void apply(Map<String, ?> values) {
    Settings settings = new Settings(values, SCHEMA.names());
    int newPort = settings.number(IBSIM_PORT);
    int priority = settings.number(SM_PRIORITY);
    long key = key(settings);
    Object file = settings.value(TOPOLOGY);
    settings.end(SharedFabric.PID);
    fabric.smKey(key);
    fabric.smPriority(priority);
    topology(file(file));
    door(newPort);
  }

  private static String file(@Nullable Object value) {
    return value == null ? "" : value.toString().strip();
  }

  private static long key(Settings settings) {
    Object value = settings.value(SM_KEY);
    Matcher m = KEY.matcher(value == null ? SM_KEY.standardText() : value.toString().strip());
    if (m.matches()) {
      return m.group(1) != null
          ? Long.parseUnsignedLong(m.group(1), 16)
          : Long.parseLong(m.group(2));
    }
    settings.refuse(SM_KEY);
    return 1;
  }

  @GuardedBy("this")
  private void topology(String file) {
    if (file.equals(topology)) {
      return;
    }
    Subnet before = described;
    Subnet next = null;
    if (!file.isEmpty()) {
      try {
        next = fabric.describe(file, NetFile.read(Files.readString(Path.of(file))));
      } catch (IOException | InvalidPathException e) {
        throw new IbInvalidException(
            TOPOLOGY.name() + " " + file, "cannot be read: " + e.getMessage(), TOPOLOGY.allowed());
      }
    }
    topology = file;
    described = next;
    if (before != null) {
      fabric.forget(before);
    }
  }

  @GuardedBy("this")
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
