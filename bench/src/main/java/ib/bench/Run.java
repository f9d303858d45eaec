package ib.bench;

import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.Main;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.VerboseMode;

/** JMH's own main, except that what cannot run on this system is left out, and a line says why. */
public final class Run {
  private static final String JUCX = "ib.bench.Jucx";

  private Run() {}

  /** Takes the options of JMH. */
  public static void main(String[] args) throws Exception {
    Collection<BenchmarkListEntry> chosen = chosen(args);
    long jucx = chosen.stream().filter(e -> e.getUsername().startsWith(JUCX)).count();
    String why = jucx == 0 ? null : Jucx.missing();
    if (why == null) {
      Main.main(args);
      return;
    }
    System.out.println("jucx is skipped: " + why + " (bench/jucx-root runs all in Debian 13)");
    if (jucx < chosen.size()) {
      String[] rest = Arrays.copyOf(args, args.length + 2);
      rest[args.length] = "-e";
      rest[args.length + 1] = JUCX;
      Main.main(rest);
    }
  }

  /** What JMH would run; nothing where it would only list, or complain. */
  private static Collection<BenchmarkListEntry> chosen(String[] args) {
    try {
      CommandLineOptions o = new CommandLineOptions(args);
      if (o.shouldHelp() || o.shouldList() || o.shouldListWithParams()) {
        return List.of();
      }
      PrintStream nowhere =
          new PrintStream(PrintStream.nullOutputStream(), false, Charset.defaultCharset());
      OutputFormat silent = OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.SILENT);
      return BenchmarkList.defaultList().find(silent, o.getIncludes(), o.getExcludes());
    } catch (CommandLineOptionException e) {
      return List.of();
    }
  }
}
