package ib.tools.hotplug;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import ib.tools.output.Units;
import java.util.List;

/** {@code ib:clients}: all clients in the order of their adds, with their state per device. */
public final class Clients {
  private static final String USAGE = "Usage: ib:clients [-j]";

  private Clients() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args {@code -j} or {@code --json}
   * @return the clients
   */
  public static Listing<ClientStatus> run(IbCore core, String... args) {
    Parsed line = new Getopt("ib:clients", USAGE, "j,json").parse(args).atMost(0);
    List<ClientStatus> clients = core.clients();
    return line.has("json")
        ? Listing.ofJson(clients, false)
        : new Listing<>(clients, Clients::table);
  }

  private static String table(List<ClientStatus> clients) {
    Columns table =
        new Columns("ORDER", "CLIENT", "AFTER", "DEVICE", "STATE", "ADD", "REMOVE", "LAST ERROR");
    for (ClientStatus c : clients) {
      String after = c.after().isEmpty() ? "-" : String.join(",", c.after());
      if (c.bindings().isEmpty()) {
        table.row(c.sequence(), c.name(), after, "-", "-", "-", "-", "-");
      }
      for (ClientStatus.Binding b : c.bindings()) {
        table.row(
            c.sequence(),
            c.name(),
            after,
            b.device(),
            b.state(),
            time(b.addNs()),
            time(b.removeNs()),
            b.lastError().isEmpty() ? "-" : b.lastError());
      }
    }
    return table.text();
  }

  private static String time(long ns) {
    return ns == 0 ? "-" : Units.ms(ns);
  }
}
