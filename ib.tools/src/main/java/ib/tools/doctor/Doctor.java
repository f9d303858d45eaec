package ib.tools.doctor;

import ib.health.Finding;
import ib.health.Finding.Verdict;
import ib.health.Health;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Columns;
import ib.tools.output.Listing;
import java.util.List;

/**
 * {@code ib:doctor}: each check prints what is not as it should be, with the command that shows
 * more, or one line when all is well. As the last of the commands of {@code ib exec} it sets the
 * exit status: 1 when something does not work.
 */
public final class Doctor {
  private static final String USAGE = "Usage: ib:doctor [-j], exit status 1 when something fails";

  private Doctor() {}

  /**
   * Runs the command.
   *
   * @param health looks at everything
   * @param args {@code -j} or {@code --json}
   * @return what was found, by check
   */
  public static Listing<Finding> run(Health health, String... args) {
    Parsed line = new Getopt("ib:doctor", USAGE, "j,json").parse(args).atMost(0);
    List<Finding> all = health.examine();
    Listing<Finding> listing =
        line.has("json") ? Listing.ofJson(all, false) : new Listing<>(all, Doctor::table);
    boolean fails = all.stream().anyMatch(f -> f.verdict() == Verdict.FAIL);
    return listing.withStatus(fails ? 1 : 0);
  }

  private static String table(List<Finding> all) {
    Columns table = new Columns("CHECK", "VERDICT", "FOUND", "TRY");
    all.forEach(
        f ->
            table.row(f.check(), f.verdict(), f.text(), f.instead().isEmpty() ? "-" : f.instead()));
    return table.text();
  }
}
