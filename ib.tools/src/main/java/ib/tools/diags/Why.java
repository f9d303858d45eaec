package ib.tools.diags;

import ib.core.spi.QpDiagnosis;
import ib.core.spi.QpDiagnosis.Report;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import java.time.Clock;
import java.util.Collection;
import java.util.List;

/** {@code ib:why}: what has happened to a queue pair, the likely cause, and what to try. */
public final class Why {
  static final String USAGE = "Usage: ib:why [-j] [DEV] QPN\n       ib:why -c [-j] [ADDRESS]";

  private Why() {}

  /**
   * Runs the command.
   *
   * @param services the diagnosis services of all drivers
   * @param clock the wall clock, for times
   * @param args a device name, needed if several devices have the number; a queue pair number; and
   *     {@code -j}
   * @return the diagnosis of every queue pair with that number
   * @throws CommandException when there is no such queue pair
   */
  public static Listing<?> run(Collection<QpDiagnosis> services, Clock clock, String... args) {
    Parsed line = new Getopt("ib:why", USAGE, "j,json").parse(args).atMost(2);
    List<String> operands = line.operands();
    if (operands.isEmpty()) {
      throw new CommandException("ib:why: which queue pair?\n" + USAGE);
    }
    String device = operands.size() == 2 ? operands.getFirst() : "";
    int qpn = number(operands.getLast());
    List<Diagnosis> found =
        services.stream()
            .filter(s -> device.isEmpty() || s.device().equals(device))
            .flatMap(s -> look(s, qpn).stream())
            .map(r -> new Diagnosis(r, clock))
            .toList();
    if (found.isEmpty()) {
      String where = device.isEmpty() ? "no device" : "no device " + device;
      throw new CommandException(
          String.format("ib:why: %s knows QP 0x%06x; see 'rdma res show qp'", where, qpn));
    }
    return line.has("json") ? Listing.ofJson(found, false) : Listing.ofLines(found);
  }

  private static List<Report> look(QpDiagnosis service, int qpn) {
    try {
      return service.diagnose(qpn).stream().toList();
    } catch (IbException e) {
      throw new CommandException("ib:why: cannot look at " + service.device(), e);
    }
  }

  private static int number(String text) {
    try {
      return Integer.decode(text);
    } catch (NumberFormatException e) {
      throw new CommandException("ib:why: " + text + " is not a queue pair number\n" + USAGE);
    }
  }
}
