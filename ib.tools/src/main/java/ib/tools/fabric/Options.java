package ib.tools.fabric;

import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The options that all of infiniband-diags share. */
public final class Options {
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
   * Reads a command line as the originals do, whose usage ends them with status 2; the three that
   * are scripts end with 255, and print their usage on the standard output.
   *
   * @param name name of the command
   * @param args options and operands
   * @param known the options, in the form of {@link ib.tools.getopt.Getopt}
   * @return the command line
   * @throws CommandException when an option is wrong, or asks for the usage or the version
   */
  public static Parsed parse(String name, String[] args, String... known) {
    boolean script = List.of("ibhosts", "ibnodes", "ibswitches").contains(name);
    Getopt getopt = new Getopt(name, Usage.of(name) + "\n", known);
    Parsed line = getopt.failing(script ? 255 : 2, script).parse(args);
    if (line.has("help")) {
      throw line.usage();
    }
    if (line.has("version")) {
      throw new CommandException(0, name + " BUILD VERSION: ib");
    }
    return line;
  }

  /**
   * {@return the time for one attempt in milliseconds}
   *
   * @param line the command line
   */
  static int timeoutMs(Parsed line) {
    return timeoutMs(line, TIMEOUT_MS);
  }

  /**
   * {@return the time of option {@code -t} in milliseconds}
   *
   * @param line the command line
   * @param without the time without the option
   */
  static int timeoutMs(Parsed line, int without) {
    return line.number("timeout", without, 1, MAX_TIMEOUT_MS);
  }
}
