package ib.itests.samples;

import static org.junit.Assert.assertTrue;

import ib.itests.Folder;
import ib.itests.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** U20, U22: the samples are built and tested outside of this build, as a newcomer does it. */
public class SamplesIT {
  private static final Pattern COUNTS =
      Pattern.compile("<testsuite [^>]*tests=\"(\\d+)\" errors=\"0\"[^>]*failures=\"0\"");
  private static final int CASES_OF_THE_KIT = 500;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @BeforeClass
  public static void installs() throws Exception {
    SampleBuild.install();
  }

  @Test
  public void u20APlainMavenProjectCompilesAndTestsAgainstTheInstalledArtifacts() throws Exception {
    Path plain = SampleBuild.run("plain", "mvn -B test");
    assertTested(plain, "samples.plain.MessageTest", 2);
  }

  @Test
  public void u22AWholeDriverKeepsTheContractAndRunsInTheDistribution() throws Exception {
    Path driver = SampleBuild.run("driver", "mvn -B package");
    assertTested(driver, "samples.driver.CableContractTest", CASES_OF_THE_KIT);

    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    folder.configure("samples.driver-cable0.cfg", "lid = 1\n");
    folder.configure("samples.driver-cable1.cfg", "lid = 2\n");
    folder.deploy(driver.resolve("target/driver-1.jar"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("cable0") && says.contains("cable1"));
      String pingpong = shell.run("ibv_rc_pingpong -d cable0 -n 100 cable1");
      assertTrue(pingpong, pingpong.contains("100 iters in"));
      String unplugged = shell.run("ib:unplug cable1");
      assertTrue(unplugged, unplugged.contains("cable1 GONE"));
    }
  }

  /** All tests of a class passed, and there were at least so many. */
  private static void assertTested(Path sample, String test, int atLeast) throws Exception {
    Path reports = sample.resolve("target/surefire-reports");
    String report = Files.readString(reports.resolve("TEST-" + test + ".xml"));
    Matcher counts = COUNTS.matcher(report);
    assertTrue(test, counts.find() && Integer.parseInt(counts.group(1)) >= atLeast);
  }
}
