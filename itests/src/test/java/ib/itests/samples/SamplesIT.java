package ib.itests.samples;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Distro;
import ib.itests.Folder;
import ib.itests.Program;
import ib.itests.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      shell.runUntil("ibv_devices", says -> says.contains("cable0") && says.contains("cable1"));
      String pingpong = shell.run("ibv_rc_pingpong -d cable0 -n 100 cable1");
      assertTrue(pingpong, pingpong.contains("100 iters in"));
      String unplugged = shell.run("ib:unplug cable1");
      assertTrue(unplugged, unplugged.contains("cable1 GONE"));
      assertNotReported(shell, "samples.driver");
    }
    assertJudged(folder, driver.resolve("target/driver-1.jar"));
  }

  /** Runs {@code ib kit} against the bundle, as somebody does who has nothing but the jar. */
  private void assertJudged(Folder folder, Path jar) throws Exception {
    Path conf = folder.home().resolve("conf");
    Path report = temporary.getRoot().toPath().resolve("report.html");
    Program run =
        Program.ib(
            folder.home(),
            "",
            Distro.WOVEN,
            "kit",
            "-c",
            "CTX-.*|HELD-.*|DATA-00.",
            "-o",
            report.toString(),
            jar.toString(),
            conf.resolve("samples.driver-cable0.cfg").toString(),
            conf.resolve("samples.driver-cable1.cfg").toString());
    assertEquals(run.out() + run.err(), 0, run.status());
    assertTrue(run.out(), run.out().contains("32 cases: 32 passed, 0 failed, 0 skipped\n"));
    assertTrue(Files.readString(report).contains("samples.driver 1.0.0"));
  }

  @Test
  public void u22ANewProtocolAndANewDriverRunInTheDistribution() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    Path made = temporary.newFolder("made").toPath();
    for (String sample : List.of("ulp com.acme.mirror", "driver com.acme.rope")) {
      Program run = new Sketch(folder, made).ib("new " + sample);
      assertEquals(run.out() + run.err(), 0, run.status());
    }
    SampleBuild.build(made.resolve("mirror"), "mvn -B package");
    assertTested(made.resolve("mirror"), "com.acme.mirror.MirrorTest", 2);
    SampleBuild.build(made.resolve("rope"), "mvn -B package -DskipTests"); // the kit has run above
    folder.configure("com.acme.rope-rope0.cfg", "lid = 1\n");
    folder.deploy(made.resolve("mirror/target/mirror-1.jar"));
    folder.deploy(made.resolve("rope/target/rope-1.jar"));
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      shell.runUntil("ibv_devices", says -> says.contains("rope0") && says.contains("soft1"));
      shell.runUntil("ib:clients", says -> says.split("mirror +\\S* *\\S+ +LIVE").length == 4);
      String said = shell.run("mirror:say hello");
      for (String device : List.of("rope0", "soft0", "soft1")) {
        assertTrue(said, said.matches("(?s).*" + device + " +hello.*"));
      }
      String unplugged = shell.run("ib:unplug rope0");
      assertTrue(unplugged, unplugged.contains("rope0 GONE") && unplugged.contains(", 0 objects"));
      assertNotReported(shell, "com.acme.mirror, com.acme.rope");
    }
  }

  /** A folder in which a command of the distribution is run. */
  private record Sketch(Folder folder, Path in) {
    Program ib(String arguments) throws Exception {
      String command = "cd '%s' && exec sh '%s/bin/ib' %s".formatted(in, folder.home(), arguments);
      Map<String, String> java = Map.of("IB_JAVA", System.getProperty("java.home") + "/bin/java");
      return Program.run(List.of("sh", "-c", command), "", java, 60);
    }
  }

  @Test
  public void u22AKeyValueStoreGoesOnWhileDevicesAndTheServerAreReplaced() throws Exception {
    Path kv = SampleBuild.run("kv", "mvn -B package");
    assertTested(kv.resolve("client"), "samples.kv.client.StoreTest", 10);
    List<Path> jars =
        Stream.of("api", "server", "client")
            .map(part -> kv.resolve(part + "/target/kv-" + part + "-1.jar"))
            .toList();
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      shell.runUntil(
          "ib:clients", says -> says.split(" LIVE ", -1).length == 9); // mad, sa, ib.cm, health
      String before = resources(shell);
      for (Path jar : jars) {
        folder.deploy(jar);
      }
      shell.runUntil("kv:put colour blue", says -> says.contains("stored"));
      shell.run("kv:load start");
      for (String device : List.of("soft0", "soft1")) {
        awaitTraffic(shell);
        String unplugged = shell.run("ib:unplug " + device);
        assertTrue(unplugged, unplugged.contains(", 0 objects leaked"));
        String failure = shell.run("kv:get colour");
        assertTrue(failure, failure.contains("NO_SERVER: there is no "));
        shell.run("ib:plug " + device);
        shell.runUntil("kv:get colour", says -> says.contains("blue"));
      }
      awaitTraffic(shell);
      String kept = shell.run("kv:load"); // the table outlives the device
      assertTrue(kept, kept.contains(" 0 lost with their server, 0 wrong, "));
      folder.deploy(jars.get(1)); // a newer server, whose table is empty
      shell.runUntil("kv:get colour", says -> says.contains("no such key"));
      awaitTraffic(shell);
      String load = shell.run("kv:load stop");
      assertTrue(load, load.contains(" 0 wrong, failures {") && !load.contains("ended by"));
      assertNotReported(shell, "samples.kv.client, samples.kv.server");
      for (Path jar : jars.reversed()) {
        Files.delete(folder.home().resolve("deploy").resolve(jar.getFileName()));
      }
      shell.runUntil("lb -s samples.kv", says -> says.contains("No matching bundles found"));
      assertEquals(before, resources(shell));
      assertNotReported(shell, "ib.driver.soft");
    }
  }

  /** The verifier has woven these bundles, and neither it nor the midlayer reports anything. */
  private static void assertNotReported(Shell shell, String bundles) throws Exception {
    String woven = shell.run("ib:verifier");
    assertTrue(woven, woven.contains(", 0 could not be woven\n") && woven.contains(bundles));
    String violations = shell.run("ib:violations -v");
    assertTrue(violations, violations.contains("no violations"));
  }

  @Test
  public void t18AnNvmeTargetServesInTheDistribution() throws Exception {
    Path nvmet = SampleBuild.run("nvmet", "mvn -B package");
    assertTested(nvmet, "samples.nvmet.TargetTest", 14);
    assertTested(nvmet, "samples.nvmet.RefusalTest", 13);
    assertTested(nvmet, "samples.nvmet.RxeTest", 12);
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      folder.deploy(nvmet.resolve("target/nvmet-1.jar"));
      shell.runUntil(
          "nvmet:serve nqn.2026-11.ib:disk 64", says -> says.contains("serving nqn.2026-11"));
      shell.runUntil("ib:clients", says -> says.split("nvmet +\\S* *\\S+ +LIVE").length == 3);
      String unplugged = shell.run("ib:unplug soft0");
      assertTrue(unplugged, unplugged.contains(", 0 objects leaked"));
      String shown = shell.run("nvmet:show");
      assertTrue(shown, shown.contains("connections 0, refused {}"));
      assertNotReported(shell, "samples.nvmet");
    }
  }

  /** Waits until the load has done more. */
  private static void awaitTraffic(Shell shell) throws Exception {
    long before = pairs(shell.run("kv:load"));
    shell.runUntil("kv:load", says -> pairs(says) > before);
  }

  private static long pairs(String says) {
    Matcher found = Pattern.compile("(\\d+) puts and gets, ").matcher(says);
    assertTrue(says, found.find());
    return Long.parseLong(found.group(1));
  }

  /** What the devices have of each kind; a plug gives a device another number. */
  private static String resources(Shell shell) throws Exception {
    return Pattern.compile("soft\\d: pd .*")
        .matcher(shell.run("rdma resource"))
        .results()
        .map(MatchResult::group)
        .sorted()
        .toList()
        .toString();
  }

  /** All tests of a class passed, and there were at least so many. */
  private static void assertTested(Path sample, String test, int atLeast) throws Exception {
    Path reports = sample.resolve("target/surefire-reports");
    String report = Files.readString(reports.resolve("TEST-" + test + ".xml"));
    Matcher counts = COUNTS.matcher(report);
    assertTrue(test, counts.find() && Integer.parseInt(counts.group(1)) >= atLeast);
  }
}
