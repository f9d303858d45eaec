package ib.tools.fabric;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The options that all of infiniband-diags share. */
final class Options {
  static final int TIMEOUT_MS = 1_000;
  private static final int MAX_TIMEOUT_MS = 60_000;

  private Options() {}

  /**
   * {@return the shared options that the usage text of one command names, and its own} The usage is
   * the only list of them.
   *
   * @param usage the usage text of the command
   * @param own options of the command, in the form of {@link ib.tools.getopt.Getopt}
   */
  static String[] with(String usage, String... own) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "z,config=",
                "C,Ca=",
                "P,Port=",
                "D,Direct",
                "L,Lid",
                "G,Guid",
                "t,timeout=",
                "y,m_key=",
                "e,errors",
                "v,verbose",
                "d,debug",
                "h,help",
                "V,version"));
    all.removeIf(
        o -> !usage.contains("--" + o.substring(2).replace("=", "") + ", -" + o.charAt(0)));
    for (String option : own) {
      // a command may give a shared letter another meaning
      all.removeIf(o -> !option.startsWith(",") && o.charAt(0) == option.charAt(0));
    }
    Collections.addAll(all, own);
    return all.toArray(String[]::new);
  }

  /**
   * {@return the time for one attempt in milliseconds}
   *
   * @param line the command line
   */
  static int timeoutMs(ib.tools.getopt.Parsed line) {
    return timeoutMs(line, TIMEOUT_MS);
  }

  /**
   * {@return the time of option {@code -t} in milliseconds}
   *
   * @param line the command line
   * @param without the time without the option
   */
  static int timeoutMs(ib.tools.getopt.Parsed line, int without) {
    return line.number("timeout", without, 1, MAX_TIMEOUT_MS);
  }
}
