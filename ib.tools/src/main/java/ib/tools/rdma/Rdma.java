package ib.tools.rdma;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.spi.QpDiagnosis;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.io.PrintStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code rdma}. */
public final class Rdma {
  private static final String NAME = "rdma";

  private Rdma() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param diagnoses the diagnosis services of all drivers, for {@code statistic qp}
   * @param managers the connection managers, for {@code resource}
   * @param out {@code monitor} prints here while it waits
   * @param args options {@code -d -j -p}, an object, a command and its words, each of which may be
   *     abbreviated
   * @return {@link Line}s, or a text for {@code help}; null when everything is printed
   * @throws CommandException when a word is unknown or a device does not exist
   */
  public static @Nullable Object run(
      IbCore core,
      Collection<QpDiagnosis> diagnoses,
      Collection<CmClient> managers,
      PrintStream out,
      String... args) {
    String usage = Usage.of(NAME);
    Parsed line =
        Getopt.silent(
                "Unknown option.",
                usage,
                "V,Version",
                "h,help",
                "j,json",
                "p,pretty",
                "d,details",
                "r,raw",
                "f,force",
                "b,batch=")
            .parse(args);
    if (line.has("help")) {
      return usage;
    }
    if (line.has("Version")) {
      return "rdma utility, ib";
    }
    for (String option : new String[] {"raw", "force", "batch"}) {
      if (line.has(option)) {
        throw new CommandException("rdma: --" + option + " is not supported here");
      }
    }
    View view = new View(core, line.has("details"), line.has("json"), line.has("pretty"));
    Map<String, Function<Words, @Nullable Object>> objects = new LinkedHashMap<>();
    objects.put("help", words -> usage);
    objects.put("dev", words -> Dev.run(view, words));
    objects.put("link", words -> LinkObject.run(view, words));
    objects.put("resource", words -> Resource.run(view, managers, words));
    objects.put("system", words -> SystemObject.run(view, words));
    objects.put("statistic", words -> Statistic.run(view, diagnoses, words));
    objects.put("monitor", words -> Monitor.run(view, out, words));
    return new Words(line.operands()).dispatch("object", words -> usage, objects);
  }

  static Object unsupported(String what) {
    throw new CommandException("rdma: '" + what + "' is not supported here");
  }
}
