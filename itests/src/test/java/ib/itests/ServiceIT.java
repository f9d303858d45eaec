package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** U12: a runtime in the background, which its user starts, asks, attaches to and stops. */
public class ServiceIT {
  private static final int NOT_RUNNING = 3;
  private static final String RUNS =
      "ib \\d+\\.\\d+\\.\\d+ runs since [-0-9]+ [:0-9]+, process \\d+";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  private final Map<String, String> environment = new HashMap<>();
  private Path run = Path.of("unset");

  @Before
  public void choosesTheFolder() {
    run = temporary.getRoot().toPath().resolve("run");
    environment.put("IB_RUN", run.toString());
  }

  @After
  public void stops() throws Exception {
    ib("stop");
  }

  private Program ib(String... arguments) throws Exception {
    return Program.ib(Distro.HOME, "", environment, arguments);
  }

  private Program started() throws Exception {
    Program start = ib("start");
    assertEquals(start.out() + start.err(), 0, start.status());
    assertTrue(start.out(), start.out().strip().matches(RUNS));
    return start;
  }

  private String asked(String commands) throws Exception {
    Program asked = ib("exec", "--attach", commands);
    assertEquals(asked.out() + asked.err(), 0, asked.status());
    return asked.out();
  }

  private void askedUntil(String commands, Predicate<String> wanted) throws Exception {
    long start = System.nanoTime();
    String says = asked(commands);
    while (!wanted.test(says)) {
      assertTrue(
          commands + " still says " + says,
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      says = asked(commands);
    }
  }

  private String mode(String file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(run.resolve(file)));
  }

  @Test
  public void u12ItIsStartedAskedAndStopped() throws Exception {
    Program none = ib("status");
    assertEquals("ib does not run\n", none.out());
    assertEquals(NOT_RUNNING, none.status());
    none = ib("exec", "--attach", "ibv_devices");
    assertEquals("ib: no service runs in " + run + ". Try: ib start\n", none.err());
    assertEquals(NOT_RUNNING, none.status());

    Program start = started();
    Program again = ib("start");
    assertEquals(start.out().strip() + " already\n", again.out());
    assertEquals(0, again.status());
    Program status = ib("status");
    assertEquals(0, status.status());
    assertTrue(status.out(), status.out().startsWith(start.out()));
    assertTrue(status.out(), status.out().contains("soft0") && status.out().contains("soft1"));

    asked("ib:unplug soft1");
    assertFalse(asked("ibv_devices").contains("soft1")); // the runtime is the same
    asked("ib:plug soft1");
    Program failure = ib("exec", "--attach", "ibv_devinfo -d nowhere");
    assertEquals("", failure.out());
    assertTrue(failure.err(), failure.err().contains("nowhere"));
    assertEquals(ib("exec", "ibv_devinfo -d nowhere").status(), failure.status());
    assertEquals(7, ib("exec", "--attach", "exit 7").status());
    Program piped =
        Program.ib(Distro.HOME, "a\nb\n", environment, "exec", "--attach", "ibv_devices; grep b");
    assertTrue(piped.out(), piped.out().endsWith("\nb\n"));
    assertEquals("rwx------", mode(""));
    for (String file : List.of("socket", "ib.log", "pid", "console.log")) {
      assertEquals(file, "rw-------", mode(file));
    }
    assertTrue(ib("logs").out().contains(" answers at " + run.resolve("socket")));
    Program stop = ib("stop");
    assertEquals("ib has stopped\n", stop.out());
    assertEquals(NOT_RUNNING, ib("status").status());
    assertEquals("ib does not run\n", ib("stop").out());
    try (Stream<Path> left = Files.list(run)) { // no socket, number or bundles
      assertEquals(
          List.of("change", "console.log", "ib.log", "lock"),
          left.map(f -> f.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  public void u12ACallerThatGoesEndsItsCommandsAndNothingElse() throws Exception {
    started();
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh",
            Distro.HOME.resolve("bin/ib").toString(),
            "exec",
            "--attach",
            "ibv_rc_pingpong -d soft0 -n 100000000 soft1");
    builder.environment().put("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    builder.environment().putAll(environment);
    Process caller = builder.redirectErrorStream(true).start();
    try {
      askedUntil("rdma res show qp", says -> says.contains("type RC"));
    } finally {
      caller.destroy(); // as Ctrl-C does
      assertTrue(caller.waitFor(Await.HANG_S, TimeUnit.SECONDS));
    }
    askedUntil("rdma res show qp", says -> !says.contains("type RC"));
    assertTrue(asked("ibv_devices").contains("soft1"));
  }

  @Test
  public void u12AShellOnATerminalIsAttachedAndLeavesTheRuntimeRunning() throws Exception {
    String why = Pty.whyNot();
    assumeTrue(why, why.isEmpty());
    started();
    try (Pty terminal = new Pty(Distro.HOME, "attach", environment)) {
      assertTrue(terminal.said().contains("exit leaves it, the runtime goes on"));
      String devices = terminal.run("ibv_devices");
      assertTrue(devices, devices.contains("soft1"));
      int server = terminal.type("ibping -S -C soft1 &\r");
      terminal.awaitPrompt(server);
      int from = terminal.type("ibping -C soft0 2\r");
      terminal.await("two answers", from, text -> text.split("Pong from soft1").length > 2);
      terminal.type(Pty.CTRL_C);
      String all = terminal.awaitPrompt(from);
      assertTrue(all, all.contains("--- soft1 (Lid 2) ibping statistics ---"));
      assertFalse(all, all.contains("Exception"));
    }
    assertTrue(asked("ibv_devices").contains("soft1"));
    // its background job has ended with the shell: the class of ping is free for another server
    askedUntil("rdma res show qp", says -> !says.contains("ibping"));
  }

  @Test
  public void u12AKilledServiceDoesNotRunAndCanBeStartedAgain() throws Exception {
    started();
    long process = Long.parseLong(Files.readString(run.resolve("pid")).strip());
    ProcessHandle killed = ProcessHandle.of(process).orElseThrow();
    assertTrue(killed.destroyForcibly());
    killed.onExit().get(Await.HANG_S, TimeUnit.SECONDS);
    assertTrue(Files.exists(run.resolve("socket")));
    assertEquals(NOT_RUNNING, ib("status").status());
    started();
    try (Stream<Path> bundles = Files.list(run)) {
      assertEquals(1, bundles.filter(f -> f.getFileName().toString().startsWith("ib-")).count());
    }
  }

  @Test
  public void u12TheLogIsRotated() throws Exception {
    environment.put("IB_LOG", "DEBUG");
    environment.put("IB_OPTS", "-Dib.log.size=4KB");
    started();
    long start = System.nanoTime();
    while (!Files.exists(run.resolve("ib.5.log"))) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
      asked("ib:unplug soft1; ib:plug soft1");
    }
    asked("ib:unplug soft1; ib:plug soft1");
    assertFalse(Files.exists(run.resolve("ib.6.log")));
  }

  @Test
  public void u12AFolderThatCannotBeIsNamedWithWhatToDo() throws Exception {
    environment.put("IB_RUN", "/proc/ib");
    Program start = ib("start");
    assertEquals(1, start.status());
    assertTrue(
        start.err(),
        start
            .err()
            .startsWith("ib: /proc/ib cannot be made, name another folder with IB_RUN: /proc/ib"));
    environment.put("IB_RUN", run.toString());
    Files.createDirectory(
        run, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    start = ib("start");
    assertEquals(1, start.status());
    assertTrue(start.err(), start.err().contains(run + " has mode rwxr-xr-x, not rwx------"));
  }

  @Test
  public void findingU15AProgramThroughASymbolicLinkIsTheSame() throws Exception {
    for (Path program : List.of(Distro.HOME.resolve("bin/ib"), Path.of("../ib").toRealPath())) {
      Path link = temporary.getRoot().toPath().resolve("link-" + program.getParent().getFileName());
      Files.createSymbolicLink(link, program);
      Program status = Program.run(List.of("sh", link.toString(), "status"), "", environment);
      assertEquals(status.err(), NOT_RUNNING, status.status());
      assertEquals("ib does not run\n", status.out());
    }
    Path link = temporary.getRoot().toPath().resolve("link-bin");
    Program exec =
        Program.run(List.of("sh", link.toString(), "exec", "ibv_devices"), "", environment);
    assertTrue(exec.out() + exec.err(), exec.out().contains("soft1"));
  }

  @Test
  public void findingU15ATreeThatCannotBeWrittenAndAUserWithoutHomeDo() throws Exception {
    Program able = Program.run(List.of("unshare", "-rm", "true"), "", Map.of());
    assumeTrue(able.err(), able.status() == 0);
    environment.put("IB_OPTS", "-Duser.home=/nonexistent");
    String at = Distro.HOME.toAbsolutePath().toString();
    String ib = "env -u HOME sh " + at + "/bin/ib ";
    String readOnly = "mount --bind " + at + " " + at + " && mount -o remount,ro,bind " + at;
    String asks = ib + "exec ibv_devices && " + ib + "start && " + ib + "stop";
    String refused = "! IB_RUN=" + at + "/run " + ib + "start";
    Program all =
        Program.run(
            List.of("unshare", "-rm", "sh", "-c", String.join(" && ", readOnly, asks, refused)),
            "",
            environment);
    assertEquals(all.out() + all.err(), 0, all.status());
    assertTrue(all.out(), all.out().contains("soft1") && all.out().endsWith("ib has stopped\n"));
    assertTrue(
        all.err(),
        all.err().endsWith(", name another folder with IB_RUN\n")
            || all.err().contains(", name another folder with IB_RUN: "));
  }

  @Test
  public void u12TheUnitOfSystemdNamesCommandsThatThereAre() throws Exception {
    String unit = Files.readString(Distro.HOME.resolve("etc/ib.service"));
    assertTrue(unit.contains("ExecStart=/opt/ib/bin/ib start\n"));
    assertTrue(unit.contains("ExecStop=/opt/ib/bin/ib stop\n"));
    assertTrue(unit.contains("PIDFile=/opt/ib/run/pid\n"));
    assertTrue(unit.contains("Type=forking\n"));
    assertEquals(2, ib("start", "soon").status());
  }
}
