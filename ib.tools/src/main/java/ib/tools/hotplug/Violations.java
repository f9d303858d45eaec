package ib.tools.hotplug;

import ib.core.client.IbCore;
import ib.core.client.Violation;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code ib:violations}: broken clauses of the contract, with advice and both stacks for {@code
 * -v}. As the last of the commands of {@code ib exec} it sets the exit status: 1 when there is a
 * violation.
 */
public final class Violations {
  private static final String USAGE =
      "Usage: ib:violations [-v] [-j], exit status 1 when there are violations";

  private Violations() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param args {@code -v} or {@code --verbose} for the stacks, {@code -j} or {@code --json}
   * @return the violations, oldest first
   */
  public static Listing<Violation> run(IbCore core, String... args) {
    Parsed line = new Getopt("ib:violations", USAGE, "v,verbose", "j,json").parse(args).atMost(0);
    List<Violation> violations = core.violations();
    boolean stacks = line.has("verbose");
    Listing<Violation> listing =
        line.has("json")
            ? Listing.ofJson(violations, false)
            : new Listing<>(violations, list -> text(list, stacks));
    return listing.withStatus(violations.isEmpty() ? 0 : 1);
  }

  private static String text(List<Violation> violations, boolean stacks) {
    return violations.isEmpty()
        ? "no violations"
        : violations.stream()
            .map(stacks ? Violation::report : Violation::headline)
            .collect(Collectors.joining("\n"));
  }
}
