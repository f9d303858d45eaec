package ib.itests.samples;

import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.BeforeClass;
import org.junit.Test;

/** U20, U22: the samples are built and tested outside of this build, as a newcomer does it. */
public class SamplesIT {
  @BeforeClass
  public static void installs() throws Exception {
    SampleBuild.install();
  }

  @Test
  public void u20APlainMavenProjectCompilesAndTestsAgainstTheInstalledArtifacts() throws Exception {
    Path plain = SampleBuild.run("plain", "mvn -B test");
    assertTested(plain, "samples.plain.MessageTest", "tests=\"2\" errors=\"0\" skipped=\"0\"");
  }

  private static void assertTested(Path sample, String test, String counts) throws Exception {
    String report =
        Files.readString(sample.resolve("target/surefire-reports/TEST-" + test + ".xml"));
    assertTrue(report, report.contains(counts));
  }
}
