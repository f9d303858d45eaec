package ib.tidy;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A build under {@code CI=true} runs a failed test once more, and {@code .ci/again} judges. Where
 * schedules are explored, seeds are drawn or the kit judges a driver, one failure is a finding:
 * such a class says so.
 */
final class FindingRules {
  private static final Pattern EXPLORES =
      Pattern.compile("Interleavings\\.explore|extends DeviceContract\\b|org\\.openjdk\\.jcstress");

  private static final Pattern NAMED =
      Pattern.compile(
          "\\w+(ModelTest|InterleavingTest|FuzzTest|SimulatorTest|SimulationTest|ContractTest|PlantedBugsTest"
              + "|StressTest|KitProofTest|KitIT|StormIT)\\.java");

  private static final Pattern SAYS =
      Pattern.compile("@Tag\\(\"finding\"\\)|@Category\\(Finding\\.class\\)");

  private FindingRules() {}

  static List<String> check(Source source) {
    boolean runs = source.fileName().matches("\\w+(Test|IT)\\.java");
    // samples are built by a Maven of their own; this module names what it looks for
    boolean other = source.room().matches("samples/.*|cnf/tidy");
    String text = String.join("\n", source.lines());
    boolean finds = NAMED.matcher(source.fileName()).matches() || EXPLORES.matcher(text).find();
    return runs && !other && finds && !SAYS.matcher(text).find()
        ? List.of(source.path() + ": one failure is a finding here, and nothing says so")
        : List.of();
  }
}
