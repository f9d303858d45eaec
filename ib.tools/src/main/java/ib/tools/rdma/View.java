package ib.tools.rdma;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The core that commands query, and the options of their output.
 *
 * @param core the core
 * @param details whether to print details
 * @param json whether to print JSON
 * @param pretty whether to break and indent lines
 */
record View(IbCore core, boolean details, boolean json, boolean pretty) {

  /**
   * A port, or port 0, which stands for objects without a port.
   *
   * @param device the device
   * @param port from 1; 0 for no port
   */
  record Link(DeviceInfo device, int port) {}

  Listing<Line> listing(List<Line> lines) {
    return json ? Listing.ofJson(lines, pretty) : Listing.ofLines(lines);
  }

  Optional<DeviceInfo> find(String name) {
    return core.devices().stream().filter(d -> d.name().equals(name)).findFirst();
  }

  /**
   * {@return the handle for queries} Throws as for a wrong name if the device was removed
   * meanwhile.
   */
  IbDevice device(DeviceInfo info) {
    return core.device(info.name()).orElseThrow(() -> wrongDevice(info.name()));
  }

  static CommandException wrongDevice(String name) {
    return new CommandException("Wrong device name - " + name);
  }

  /** {@return the device that the next word names; all devices without a word} */
  List<DeviceInfo> devices(Words words) {
    if (words.isEmpty()) {
      return core.devices();
    }
    String name = words.next();
    return List.of(find(name).orElseThrow(() -> wrongDevice(name)));
  }

  /**
   * Returns the ports that the next word names, as {@code DEV}, {@code DEV/}, {@code DEV/PORT} or
   * {@code DEV/-}.
   *
   * @param strict whether to accept only {@code DEV/PORT} with a port from 1
   */
  List<Link> links(Words words, boolean strict) {
    int first = strict ? 1 : 0;
    List<Link> links = new ArrayList<>();
    if (words.isEmpty()) {
      core.devices().forEach(d -> addLinks(links, d, first));
      return links;
    }
    String word = words.next();
    int slash = word.lastIndexOf('/');
    DeviceInfo device =
        find(slash < 0 ? word : word.substring(0, slash)).orElseThrow(View::wrongLink);
    String port = slash < 0 ? "" : word.substring(slash + 1);
    if (port.isEmpty() || port.equals("-")) {
      if (strict) {
        throw wrongLink();
      }
      if (port.isEmpty()) {
        addLinks(links, device, 0);
      } else {
        links.add(new Link(device, 0));
      }
      return links;
    }
    int number = port.matches("[0-9]{1,3}") ? Integer.parseInt(port) : -1;
    if (number < first || number > device.portCount()) {
      throw wrongLink();
    }
    links.add(new Link(device, number));
    return links;
  }

  private static void addLinks(List<Link> links, DeviceInfo device, int first) {
    for (int port = first; port <= device.portCount(); port++) {
      links.add(new Link(device, port));
    }
  }

  private static CommandException wrongLink() {
    return new CommandException("Wrong device name");
  }
}
