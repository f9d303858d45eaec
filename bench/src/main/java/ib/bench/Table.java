package ib.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;

/** What a group's windows showed, as a table. */
final class Table {
  private static final int MIN_WINDOWS = 10; // for a table of cores near or far

  private final Group group;
  private final List<Case> cases;
  private final Samples samples;
  private final PrintStream out;

  Table(Group group, List<Case> cases, Samples samples, PrintStream out) {
    this.group = group;
    this.cases = cases;
    this.samples = samples;
    this.out = out;
  }

  void print() {
    if (group.threads() == 1) {
      alone();
    } else {
      int printed =
          together("cores near by F", f -> f <= Samples.NEAR_NS)
              + together("cores far by F", f -> f > Samples.NEAR_NS);
      int dropped = 0;
      for (int i = 0; i < cases.size(); i++) {
        dropped += samples.dropped(i);
      }
      print(
          "%s: %d of %d windows dropped, since F moved by more than 15 %%%s%n%n",
          group.name(),
          dropped,
          cases.size() * samples.rounds(),
          printed == 0 ? ": too few are left" : "");
    }
  }

  private void alone() {
    print("| %s | ns | x the first | goal | met | windows, undisturbed |%n", group.name());
    print("|---|---|---|---|---|---|%n");
    double first = samples.fast(0);
    for (int i = 0; i < cases.size(); i++) {
      double ns = samples.fast(i);
      String windows = samples.rounds() + ", " + samples.undisturbed(i);
      row(
          cases.get(i).name,
          ns,
          String.format(Locale.ROOT, "%.2f", ns / first),
          i,
          ns / first,
          windows);
    }
    print("%n");
  }

  /** Returns how many tables. */
  private int together(String place, DoublePredicate there) {
    double[] flags = samples.flags(0, there);
    if (flags.length < MIN_WINDOWS) {
      return 0;
    }
    print(
        "| %s, %s (%.0f ns, %.0f to %.0f) | ns | x F | x the first | goal | met | windows |%n",
        group.name(),
        place,
        Samples.part(flags, 0.5),
        Samples.part(flags, 0.1),
        Samples.part(flags, 0.9));
    print("|---|---|---|---|---|---|---|%n");
    double flag = Samples.part(flags, 0.5);
    double first = samples.typical(0, there);
    for (int i = 0; i < cases.size(); i++) {
      double ns = samples.typical(i, there);
      double[] rounds = samples.ratios(i, 0, there);
      String ratios =
          String.format(
              Locale.ROOT,
              "%.2f | %.2f (%.2f to %.2f)",
              ns / flag,
              ns / first,
              Samples.part(rounds, 0.1),
              Samples.part(rounds, 0.9));
      String windows = String.valueOf(samples.figures(i, there).length);
      row(cases.get(i).name, ns, ratios, i, ns / first, windows);
    }
    print("%n");
    return 1;
  }

  private void row(String name, double ns, String ratios, int i, double ratio, String windows) {
    double first = group.bounds()[i][0];
    double goal = group.bounds()[i][1];
    String bounds =
        goal == 0
            ? ""
            : first == 0 || first == goal
                ? String.format(Locale.ROOT, "%.2f", goal)
                : String.format(Locale.ROOT, "first %.2f, then %.2f", first, goal);
    String met = goal == 0 ? "" : ratio <= goal ? "yes" : ratio <= first ? "the first" : "no";
    print("| %s | %.1f | %s | %s | %s | %s |%n", name, ns, ratios, bounds, met, windows);
  }

  private void print(String format, Object... arguments) {
    out.printf(Locale.ROOT, format, arguments);
  }
}
