package ib.launcher;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code ib kit}.
 *
 * @param jars the driver's bundle, then the bundles that it needs
 * @param configurations files for the Configuration Admin, each a device as a rule
 * @param cases a regular expression for the ids of the cases to run
 * @param report the file to write
 */
record KitLine(List<Path> jars, List<Path> configurations, String cases, Path report) {
  static final List<String> USAGE =
      List.of(
          "usage: ib kit [-c CASES] [-o FILE] DRIVER.jar [MORE.jar ...] [PID-NAME.cfg ...]",
          "       runs the compatibility suite against two devices of a driver",
          "  -c CASES      only the cases whose id matches this regular expression",
          "  -o FILE       the report, instead of report.html",
          "  MORE.jar      a bundle that the driver needs",
          "  PID-NAME.cfg  a configuration of the driver: one for each device");

  /** {@return what the arguments say, or null if they say nothing that makes sense} */
  static @Nullable KitLine of(List<String> arguments) {
    Deque<String> left = new ArrayDeque<>(arguments);
    List<Path> jars = new ArrayList<>();
    List<Path> configurations = new ArrayList<>();
    String cases = ".*";
    Path report = Path.of("report.html");
    while (!left.isEmpty()) {
      String argument = left.pop();
      if (argument.equals("-c") && !left.isEmpty()) {
        cases = left.pop();
      } else if (argument.equals("-o") && !left.isEmpty()) {
        report = Path.of(left.pop());
      } else if (argument.endsWith(".cfg")) {
        configurations.add(Path.of(argument));
      } else if (argument.startsWith("-")) {
        return null;
      } else {
        jars.add(Path.of(argument));
      }
    }
    return jars.isEmpty() ? null : new KitLine(jars, configurations, cases, report);
  }
}
