package ib.tools.hotplug;

import ib.core.client.IbCore;
import ib.core.client.ResourceRecord;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** {@code ib:objects}: all live objects, with owner, use count and details of their kind. */
public final class Objects {
  private static final String USAGE = "Usage: ib:objects [-j] [DEV]";

  private Objects() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args a device name, and {@code -j} or {@code --json}
   * @return the objects, by device, kind and number
   * @throws CommandException when there is no such device
   */
  public static Listing<ResourceRecord> run(IbCore core, String... args) {
    Parsed line = new Getopt("ib:objects", USAGE, "j,json").parse(args).atMost(1);
    String device = line.operands().isEmpty() ? "" : line.operands().getFirst();
    if (!device.isEmpty() && core.devices().stream().noneMatch(d -> d.name().equals(device))) {
      throw new CommandException("ib:objects: no device " + device);
    }
    List<ResourceRecord> objects =
        core.resources().stream()
            .filter(r -> device.isEmpty() || r.device().equals(device))
            .sorted(
                Comparator.comparing(ResourceRecord::device)
                    .thenComparing(ResourceRecord::kind)
                    .thenComparing(ResourceRecord::id))
            .toList();
    return line.has("json")
        ? Listing.ofJson(objects, false)
        : new Listing<>(objects, Objects::table);
  }

  private static String table(List<ResourceRecord> objects) {
    Columns table = new Columns("DEVICE", "KIND", "ID", "USERS", "OWNER", "DETAILS");
    for (ResourceRecord r : objects) {
      String details =
          r.details().entrySet().stream()
              .map(e -> e.getKey() + " " + e.getValue())
              .collect(Collectors.joining(" "));
      table.row(r.device(), r.kind(), r.id(), r.users(), r.owner(), details);
    }
    return table.text();
  }
}
