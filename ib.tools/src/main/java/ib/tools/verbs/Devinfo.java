package ib.tools.verbs;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.PortAttr;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import ib.tools.output.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code ibv_devinfo}. */
public final class Devinfo {
  private static final String NAME = "ibv_devinfo";
  private static final int NOT_FOUND = 255; // main returns -1

  private Devinfo() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args the original's options, and {@code -j} or {@code --json}
   * @return {@link Hca}s, or {@link DeviceInfo}s for {@code -l}
   * @throws CommandException when an option is wrong or the device does not exist
   */
  public static Listing<?> run(IbCore core, String... args) {
    Getopt getopt =
        new Getopt(
            NAME, Usage.of(NAME), "d,ib-dev=", "i,ib-port=", "l,list", "v,verbose", "j,json");
    Parsed line = getopt.parse(args).atMost(0);
    int port = line.number("ib-port", 0, 1, 255);
    if (line.has("list")) {
      List<DeviceInfo> devices = core.devices();
      return line.has("json")
          ? Listing.ofJson(devices, false)
          : new Listing<>(devices, Devinfo::list);
    }
    List<Hca> hcas =
        devices(core, line).stream().map(d -> hca(d, port, line.has("verbose"))).toList();
    return line.has("json") ? Listing.ofJson(hcas, false) : Listing.ofLines(hcas);
  }

  private static String list(List<DeviceInfo> devices) {
    return devices.stream()
        .map(d -> "\t" + d.name() + "\n")
        .collect(
            Collectors.joining(
                "", devices.size() + " HCA" + (devices.size() != 1 ? "s" : "") + " found:\n", ""));
  }

  private static List<IbDevice> devices(IbCore core, Parsed line) {
    String name = line.last("ib-dev");
    if (name != null) {
      return List.of(
          core.device(name)
              .orElseThrow(
                  () -> new CommandException(NOT_FOUND, "IB device '" + name + "' wasn't found")));
    }
    List<IbDevice> devices = new ArrayList<>();
    // leaves out a device that was removed after the call of devices()
    core.devices().forEach(d -> core.device(d.name()).ifPresent(devices::add));
    if (devices.isEmpty()) {
      throw new CommandException(NOT_FOUND, "No IB devices found");
    }
    return devices;
  }

  private static Hca hca(IbDevice device, int onlyPort, boolean verbose) {
    DeviceInfo info = device.info();
    if (onlyPort > info.portCount()) {
      throw new CommandException(4, "Invalid port requested for device");
    }
    List<Hca.Port> ports = new ArrayList<>();
    for (int port = 1; port <= info.portCount(); port++) {
      if (onlyPort == 0 || onlyPort == port) {
        ports.add(port(device, port, verbose));
      }
    }
    try {
      return new Hca(info, device.attrs(), ports, verbose);
    } catch (IbException e) {
      throw new CommandException("Failed to query device props", e);
    }
  }

  private static Hca.Port port(IbDevice device, int port, boolean verbose) {
    try {
      PortAttr attr = device.queryPort(port);
      return new Hca.Port(port, attr, verbose ? gids(device, port, attr) : Map.of());
    } catch (IbException e) {
      throw new CommandException("Failed to query port " + port + " props", e);
    }
  }

  /** {@return the GIDs with an interface ID, which are those that the original shows} */
  private static Map<Integer, Gid> gids(IbDevice device, int port, PortAttr attr) {
    Map<Integer, Gid> gids = new TreeMap<>();
    for (int i = 0; i < attr.gidTableLen(); i++) {
      Gid gid = device.gid(port, i);
      if (gid.interfaceId() != 0) {
        gids.put(i, gid);
      }
    }
    return gids;
  }
}
