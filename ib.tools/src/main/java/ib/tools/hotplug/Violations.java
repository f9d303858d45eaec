package ib.tools.hotplug;

import ib.core.client.IbCore;
import ib.core.client.Violation;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Listing;
import java.util.List;
import java.util.StringJoiner;

/** {@code ib:violations}: broken clauses of the contract, with both stacks for {@code -v}. */
public final class Violations {
  private static final String USAGE = "Usage: ib:violations [-v] [-j]";

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
    return line.has("json")
        ? Listing.ofJson(violations, false)
        : new Listing<>(violations, list -> text(list, stacks));
  }

  private static String text(List<Violation> violations, boolean stacks) {
    if (violations.isEmpty()) {
      return "no violations";
    }
    StringJoiner lines = new StringJoiner("\n");
    for (Violation v : violations) {
      lines.add(v.clause() + " " + v.culprit() + ": " + v.text());
      if (stacks) {
        if (!v.instead().isEmpty()) {
          lines.add("  instead: " + v.instead());
        }
        v.stack().forEach(frame -> lines.add("    at " + frame));
        if (!v.otherStack().isEmpty()) {
          lines.add("  while");
          v.otherStack().forEach(frame -> lines.add("    at " + frame));
        }
      }
    }
    return lines.toString();
  }
}
