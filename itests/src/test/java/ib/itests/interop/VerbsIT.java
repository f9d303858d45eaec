package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Issue 17: {@code ib.driver.verbs} where a device of the host is, in a JVM inside the Linux peer.
 * {@code ib.verbs.cases}, an expression, chooses the cases of the kit by their numbers, {@code
 * ib.verbs.cycles} how often the kernel's device goes and comes back.
 */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public final class VerbsIT {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsIT.class);
  private static final LinuxPeer PEER = new LinuxPeer(System.getProperty("ib.peer.kernel", "6.1"));
  private static final Path DRIVER = Path.of("../ib.driver.verbs/target");
  private static final String CASES =
      System.getProperty(
          "ib.verbs.cases",
          "DATA-(00[0-9]|0[1-9]0|100|38[3-6]|45[0-79])|UD-00[0-3]|ATOM-00[0-9]|FLUSH-00[1-58]|PAIR-113");
  private static final int CYCLES = Integer.getInteger("ib.verbs.cycles", 2);
  private static final long START_S = 240;
  private static final long TESTS_S = Long.getLong("ib.verbs.seconds", 240);
  private static final String JAVA =
      "cd /tmp/verbs && timeout %d /opt/jvm/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
          + " -Xmx600m --enable-native-access=ALL-UNNAMED -Dib.check=true -Dib.kit.limit=120"
          + " -Dib.verbs.device=rxe0 %s -cp 'classes:test-classes:peer/*' ib.driver.verbs.%s";

  /** The programs of both ends, which take turns to serve; rping compares what it reads. */
  private static final List<String> LINES =
      List.of(
          "rc %s -c -d %%d -g %%g -n 100 -s 5000",
          "uc %s -c -d %%d -g %%g -n 50 -s 1",
          "ud %s -c -d %%d -g %%g -n 50 -s 1000",
          "srq %s -c -d %%d -g %%g -n 100 -s 4000",
          "WRITE_BW %s -d %%d -x %%g -F -u 20 -n 100 -s 65536",
          "READ_BW %s -d %%d -x %%g -F -u 20 -n 100 -s 65536",
          "rping %s -p 7174 -C 20 -S 4000 -v -V");

  private static boolean started;

  /** Starts the peer with a JVM and the driver in it. */
  @BeforeClass
  public static void start() throws IOException, InterruptedException {
    assumeTrue(
        "it takes minutes and a download: say -Dib.interop=true", Boolean.getBoolean("ib.interop"));
    assumeTrue("it runs alone, in the module itests.peer", Boolean.getBoolean("ib.interop.lane"));
    Program why = PEER.run(60, "why-not");
    assumeTrue(why.out().strip(), why.status() == 0);
    started = PEER.start();
    must("jvm");
    Path archive = Files.createTempFile("verbs", ".tar.gz");
    try {
      String target = DRIVER.toString();
      List<String> line =
          List.of(
              "tar", "-C", target, "-czf", archive.toString(), "peer", "classes", "test-classes");
      Program tar = Program.run(line, "", Map.of(), 60);
      assertEquals(tar.toString(), 0, tar.status());
      must("put", archive.toString(), "/tmp/verbs.tar.gz");
    } finally {
      Files.delete(archive);
    }
    must("exec", "rm -rf /tmp/verbs; mkdir /tmp/verbs && tar -C /tmp/verbs -xzf /tmp/verbs.tar.gz");
  }

  /** Stops the peer, if this class has started it. */
  @AfterClass
  public static void stop() {
    if (started) {
      PEER.run(60, "stop");
    }
  }

  private static String must(String... arguments) {
    Program run = PEER.run(START_S, arguments);
    assertEquals(run.toString(), 0, run.status());
    return run.out();
  }

  private static String java(String options, String program) {
    return String.format(JAVA, TESTS_S, options, program);
  }

  /** V9: the kernel cleans up after a JVM that was killed. */
  @Test
  public void aKilledJvmLeavesNothing() {
    String before = must("exec", "rdma res show");
    String line =
        java("", "HeldObjects")
            + " >/tmp/held & for i in $(seq 900); do grep -q held /tmp/held && break; sleep 0.1;"
            + " done; rdma res show qp | grep -c java; kill -9 $(sed 's/.* //' /tmp/held); wait;"
            + " rdma res show";
    String out = must("exec", line);
    assertTrue("there were queue pairs: " + out, !out.startsWith("0\n"));
    assertTrue("nothing is left of " + out, out.endsWith(before));
  }

  /** Points 1, 2 and 4: the kit's cross-section, memory, connections, hot-plug; one JVM for all. */
  @Test
  public void theDriverInsideTheHost() {
    String options =
        "-Dib.verbs.netdev=eth0 -Dib.verbs.cycles="
            + CYCLES
            + " -Dib.interop.full="
            + Matrix.FULL
            + " -Dib.kit.case='"
            + CASES
            + "'";
    String tests =
        " ib.driver.verbs.VerbsContractTest ib.driver.verbs.HostMemoryTest"
            + " ib.driver.verbs.HostToolsTest ib.driver.verbs.HostConnectionsTest"
            + " ib.driver.verbs.TeardownTest";
    Program run =
        PEER.run(
            TESTS_S + 30,
            "exec",
            java(options, "PeerTests") + tests + " ib.driver.verbs.HostPlugTest");
    run.out().lines().filter(l -> l.contains(", ms: median ")).forEach(LOG::info);
    String failed =
        run.out().lines().filter(l -> l.startsWith("FAILED") || l.startsWith("peer tests")).toList()
            + "";
    assertEquals(failed + run.err(), 0, run.status());
  }

  private static List<String> lines(boolean inside) {
    List<String> all = new ArrayList<>();
    for (boolean insideServes : new boolean[] {true, false}) {
      for (String line : LINES) {
        String server = insideServes ? LinuxPeer.ADDRESS : LinuxPeer.HERE;
        String own = line.startsWith("rping") ? "serve " + server : "serve";
        all.add(String.format(line, inside == insideServes ? own : server));
      }
    }
    return all;
  }

  /** Point 4: the device of the host inside, {@code ib.driver.rxe} outside, in both directions. */
  @Test
  public void besideRxeOutside() throws Exception {
    assumeTrue("on request: -Dib.interop.full=true", Matrix.FULL);
    List<String> outside =
        new ArrayList<>(
            List.of(
                "host",
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(
                    ":",
                    "../ib.driver.rxe/target/classes",
                    "../ib.engine/target/classes",
                    DRIVER + "/classes",
                    DRIVER + "/test-classes",
                    DRIVER + "/peer/*"),
                "ib.driver.verbs.ToolLines",
                "ib.driver.rxe",
                "rxe0",
                "interface",
                "ibpeer0"));
    outside.addAll(lines(false));
    CompletableFuture<Program> here =
        CompletableFuture.supplyAsync(
            () -> PEER.run(TESTS_S + 30, outside.toArray(String[]::new)), LinuxPeer.BESIDE);
    String inside = " ib.driver.verbs rxe0 device rxe0 '" + String.join("' '", lines(true)) + "'";
    Program there = PEER.run(TESTS_S + 30, "exec", java("", "ToolLines") + inside);
    Program ours = here.get(TESTS_S + 60, TimeUnit.SECONDS);
    assertEquals(there + "\n" + ours, 0, there.status());
    assertEquals(ours.toString(), 0, ours.status());
    assertTrue(ours.out(), ours.out().contains("all lines were run"));
  }
}
