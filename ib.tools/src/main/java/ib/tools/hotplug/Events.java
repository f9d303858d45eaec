package ib.tools.hotplug;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbNoDeviceException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code ib:events}: how many events of each device were delivered, lost or late; every loss is
 * counted (D8).
 */
public final class Events {
  private static final String USAGE = "Usage: ib:events [-j] [DEV]";

  private Events() {}

  /**
   * One device.
   *
   * @param device device name
   * @param events numbers of events by name
   */
  public record Row(String device, Map<String, Long> events) {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args a device name, and {@code -j} or {@code --json}
   * @return one row per device
   * @throws CommandException when there is no such device
   */
  public static Listing<Row> run(IbCore core, String... args) {
    Parsed line = new Getopt("ib:events", USAGE, "j,json").parse(args).atMost(1);
    List<String> names =
        line.operands().isEmpty()
            ? core.devices().stream().map(DeviceInfo::name).toList()
            : line.operands();
    List<Row> rows = new ArrayList<>();
    for (String name : names) {
      try {
        rows.add(new Row(name, core.eventCounters(name)));
      } catch (IbNoDeviceException e) {
        throw new CommandException("ib:events: no device " + name);
      }
    }
    return line.has("json") ? Listing.ofJson(rows, false) : new Listing<>(rows, Events::table);
  }

  private static String table(List<Row> rows) {
    Columns table = new Columns("DEVICE", "EVENTS");
    for (Row row : rows) {
      StringBuilder events = new StringBuilder();
      row.events().forEach((name, n) -> events.append(name).append(' ').append(n).append(' '));
      table.row(row.device(), events.toString());
    }
    return table.text();
  }
}
