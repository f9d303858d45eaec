package ib.kit;

import ib.core.client.IbCore;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbDevice;
import ib.kit.Result.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import org.opentest4j.TestAbortedException;

/**
 * Runs the suite against a driver that runs in a framework, and writes a report. The launcher's
 * command {@code ib kit} makes one by reflection, because the launcher knows types of the JDK only.
 */
public final class Judge implements ToIntFunction<Map<String, Object>> {
  private static final int FRAMES = 25;

  /** For the launcher. */
  public Judge() {}

  /**
   * Runs the cases.
   *
   * @param given {@code core}: the midlayer, {@code devices}: the {@link IbDevice} services of two
   *     devices that reach each other, {@code slots}: the driver's {@link DeviceSlot} services,
   *     {@code cases}: a regular expression for ids, {@code driver}: the name of the driver, {@code
   *     report}: the path of the file to write, {@code out}: a stream for the summary
   * @return 0 when no case failed, else 1
   */
  @Override
  public int applyAsInt(Map<String, Object> given) {
    PrintStream out = (PrintStream) of(given, "out");
    List<String> devices =
        list(of(given, "devices")).stream().map(d -> ((IbDevice) d).name()).toList();
    List<DeviceSlot> slots = list(of(given, "slots")).stream().map(DeviceSlot.class::cast).toList();
    IbCore core = (IbCore) of(given, "core");
    Pattern wanted = Pattern.compile(String.valueOf(of(given, "cases")));
    List<Result> results = new ArrayList<>();
    Benches benches =
        new Benches(
            () -> new LiveBench(core, devices, slots), l -> new LiveBench(core, devices, slots));
    for (Case c : Catalogue.cases()) {
      if (wanted.matcher(c.id()).matches()) {
        Result result = run(benches, c);
        results.add(result);
        if (result.outcome() == Outcome.FAILED) {
          out.println("FAILED " + c.title());
        }
      }
    }
    Report report = new Report(String.valueOf(of(given, "driver")), devices, results);
    write((Path) of(given, "report"), report.html());
    out.println(report.summary());
    return report.count(Outcome.FAILED) == 0 ? 0 : 1;
  }

  private static Object of(Map<String, Object> given, String key) {
    Object value = given.get(key);
    if (value == null) {
      throw new IllegalArgumentException("no " + key);
    }
    return value;
  }

  private static List<?> list(Object value) {
    return (List<?>) value;
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the report: " + e.getMessage(), e);
    }
  }

  private static Result run(Benches benches, Case c) {
    long start = System.nanoTime();
    Outcome outcome = Outcome.PASSED;
    String evidence = "";
    try {
      benches.run(c);
    } catch (TestAbortedException e) {
      outcome = Outcome.SKIPPED;
      evidence = String.valueOf(e.getMessage());
    } catch (Exception | AssertionError e) { // whatever a driver throws is its failure
      outcome = Outcome.FAILED;
      evidence = evidence(e);
    }
    return new Result(c, outcome, evidence, System.nanoTime() - start);
  }

  /** {@return what was thrown, with its causes, and the frames nearest to each} */
  private static String evidence(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      text.append(text.isEmpty() ? "" : "\ncaused by ").append(t);
      StackTraceElement[] frames = t.getStackTrace();
      for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
        text.append("\n    at ").append(frames[i]);
      }
    }
    return text.toString();
  }
}
