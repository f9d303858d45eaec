package ib.tools.diags;

import ib.core.client.IbCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PortAttr;
import ib.tools.fabric.Options;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import ib.tools.output.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** {@code ibstat} and {@code ibstatus}: the adapters and ports of this runtime. */
public final class Ibstat {
  private static final int FAILED = 255;

  private Ibstat() {}

  /** A line of {@code -l} or {@code -p}. */
  private record Line(String text) implements Printable {}

  /**
   * Runs {@code ibstat}.
   *
   * @param core the midlayer
   * @param args the original's options {@code -l -s -p}, {@code -j}, and operands: a device, a port
   * @return the adapters, a port, or lines
   * @throws CommandException when there is no such adapter or port
   */
  public static Object ibstat(IbCore core, String... args) {
    String[] known = {
      "l,list_of_cas",
      "s,short",
      "p,port_list",
      "z,config=",
      "v,verbose",
      "d,debug",
      "h,help",
      "V,version",
      "j,json"
    };
    Parsed line = Options.parse("ibstat", args, known);
    List<String> operands = line.operands();
    List<IbDevice> devices =
        found(core, operands.isEmpty() ? "" : operands.getFirst(), "ibpanic: ");
    if (line.has("list_of_cas")) {
      return Listing.ofLines(devices.stream().map(d -> new Line(d.info().name())).toList());
    }
    if (line.has("port_list")) {
      return Listing.ofLines(
          devices.stream().flatMap(d -> ports(d).stream()).map(Ibstat::guid).toList());
    }
    if (operands.size() > 1) {
      return port(devices.getFirst(), operands.get(1));
    }
    boolean brief = line.has("short");
    List<Adapter> adapters =
        devices.stream()
            .map(d -> new Adapter(d.info().name(), d.attrs(), brief ? List.of() : ports(d)))
            .toList();
    return line.has("json") ? Listing.ofJson(adapters, false) : Listing.ofLines(adapters);
  }

  /**
   * Runs {@code ibstatus}.
   *
   * @param core the midlayer
   * @param args devices, each {@code name} or {@code name:port}; all when there are none
   * @return a block for each port
   * @throws CommandException when there is no such device
   */
  public static Listing<?> ibstatus(IbCore core, String... args) {
    List<Line> blocks = new ArrayList<>();
    for (String arg : args.length == 0 ? new String[] {""} : args) {
      String[] parts = arg.split(":", 2);
      if (parts[0].startsWith("-")) {
        throw new CommandException(FAILED, "Usage: ibstatus [-h] [devname[:port]]...");
      }
      for (IbDevice d : found(core, parts[0], "Fatal error: ")) {
        for (Adapter.Port p : parts.length == 1 ? ports(d) : List.of(port(d, parts[1]))) {
          blocks.add(new Line(status(d.info().name(), p)));
        }
      }
    }
    return new Listing<>(
        blocks, list -> list.stream().map(b -> b.text + "\n").collect(Collectors.joining("\n")));
  }

  private static List<IbDevice> found(IbCore core, String name, String complaint) {
    List<IbDevice> found =
        core.devices().stream()
            .filter(d -> name.isEmpty() || d.name().equals(name))
            .flatMap(d -> core.device(d.name()).stream()) // the device may be removed meanwhile
            .sorted(Comparator.comparing(IbDevice::name)) // as the original
            .toList();
    if (found.isEmpty()) {
      throw new CommandException(
          FAILED,
          complaint + (name.isEmpty() ? "No devices" : "'" + name + "' IB device can't be found"));
    }
    return found;
  }

  private static List<Adapter.Port> ports(IbDevice device) {
    List<Adapter.Port> ports = new ArrayList<>();
    for (int n = 1; n <= device.info().portCount(); n++) {
      ports.add(new Adapter.Port(n, device.port(n), device.gid(n, 0)));
    }
    return ports;
  }

  private static Adapter.Port port(IbDevice device, String number) {
    return ports(device).stream()
        .filter(p -> String.valueOf(p.number()).equals(number))
        .findAny()
        .orElseThrow(
            () ->
                new CommandException(
                    FAILED,
                    String.format(
                        "ibwarn: '%s' has no port number %s - max (%d)",
                        device.info().name(), number, device.info().portCount())));
  }

  private static Line guid(Adapter.Port port) {
    return new Line(String.format("0x%016x", port.gid().interfaceId()));
  }

  private static String status(String device, Adapter.Port port) {
    PortAttr a = port.attr();
    String state = a.state().label().substring("PORT_".length()).toUpperCase(Locale.ROOT);
    return String.join(
        "\n\t",
        "Infiniband device '" + device + "' port " + port.number() + " status:",
        "default gid:\t " + port.gid().toHex32().replaceAll("(....)(?!$)", "$1:"),
        "base lid:\t 0x" + Integer.toHexString(a.lid()),
        "sm lid:\t\t 0x" + Integer.toHexString(a.smLid()),
        "state:\t\t " + a.state().value() + ": " + state,
        "phys state:\t " + a.physState().value() + ": " + Adapter.physState(a.physState()),
        "rate:\t\t " + LinkRate.of(a).text(),
        "link_layer:\t " + a.linkLayer().label());
  }
}
