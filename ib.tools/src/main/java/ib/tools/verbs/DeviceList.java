package ib.tools.verbs;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import ib.tools.output.Printable;
import ib.tools.output.Units;
import ib.tools.output.Usage;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/** {@code ibv_devices}. */
public final class DeviceList {
  private static final String NAME = "ibv_devices";

  private DeviceList() {}

  /**
   * A line of the list.
   *
   * @param name device name
   * @param nodeGuid for example {@code 5054:00ff:fe12:3456}
   */
  public record Row(String name, String nodeGuid) implements Printable {
    @Override
    public String text() {
      return line(name, "\t" + HexFormat.of().toHexDigits(Units.parseGuid(nodeGuid)));
    }
  }

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args {@code -j} or {@code --json}
   * @return the devices, by their names
   */
  public static Listing<Row> run(IbCore core, String... args) {
    Parsed line = new Getopt(NAME, Usage.of(NAME), "j,json").parse(args).atMost(0);
    List<Row> rows =
        core.devices().stream()
            .map(DeviceList::row)
            .sorted(Comparator.comparing(Row::name))
            .toList();
    return line.has("json") ? Listing.ofJson(rows, false) : new Listing<>(rows, DeviceList::text);
  }

  private static Row row(DeviceInfo device) {
    return new Row(device.name(), Units.guid(device.nodeGuid()));
  }

  private static String text(List<Row> rows) {
    StringBuilder text = new StringBuilder(line("device", "\t   node GUID"));
    text.append('\n').append(line("------", "\t----------------"));
    rows.forEach(r -> text.append('\n').append(r.text()));
    return text.toString();
  }

  private static String line(String name, String rest) {
    return String.format("    %-16s%s", name, rest);
  }
}
