package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Each exit status that a usage promises, on its bad side, in a fresh runtime and in a service. The
 * usages are read from the sources: one that promises a status and has no line here fails the test.
 */
public class StatusIT {
  private static final Path SOURCES = Path.of("..");
  private static final Pattern PROMISE = Pattern.compile("exit status (\\d+) when");
  private static final Pattern WHOSE = Pattern.compile("[Uu]sage: (ib:)?(\\w+)");

  /** Commands whose last one ends badly, and what it says then, by the name of the command. */
  private static final Map<String, Map<String, String>> BAD =
      Map.of(
          "doctor",
          Map.of("ib:unplug soft0; ib:unplug soft1; ib:doctor", "there is no device"),
          "violations",
          Map.of("ib:violations", "S26 sleepy.ulp", "ib:violations -j", "\"sleepy.ulp\""),
          "capture",
          Map.of(
              "ib:capture start --force soft0 /dev/full;"
                  + "ibv_rc_pingpong -n 200 -d soft0 soft1; ib:capture stop",
              "failed: "),
          "netif",
          Map.of(
              "ib:netif ping ib0 10.96.0.77 1", " 0 received",
              "ib:netif pmtu ib0 10.96.0.77", "does not answer",
              "ib:netif fly", "usage: ib:netif"));

  private static final int MAX_RUNS =
      50; // what the commands look at comes a moment after the devices

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  private final Map<String, String> environment = new HashMap<>();
  private Folder folder;

  @Before
  public void breaksWhatCommandsLookAt() throws Exception {
    folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    folder.configure(
        "ib.ulp.ipoib.cfg", "backend = jvm\naddresses = ib0 10.96.0.1/24, ib1 10.96.0.2/24\n");
    folder.deploy(VerifierIT.sleepy(temporary.getRoot().toPath()));
    environment.put("IB_OPTS", "-Dib.verify=true " + Distro.PATIENT);
    environment.put("IB_RUN", temporary.getRoot().toPath().resolve("run").toString());
  }

  @After
  public void stops() throws Exception {
    ib("stop");
  }

  private Program ib(String... arguments) throws Exception {
    return Program.ib(folder.home(), "", environment, arguments);
  }

  /** {@return the commands whose usage promises a status} */
  private static TreeSet<String> promises() throws Exception {
    TreeSet<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Path> own =
          files
              .filter(f -> f.toString().matches("\\.\\./ib\\.[^/]+/src/main/.*\\.(java|txt)"))
              .toList();
      for (Path file : own) {
        String text = Files.readString(file);
        Matcher usage = WHOSE.matcher(text);
        if (PROMISE.matcher(text).find() && usage.find()) {
          names.add(usage.group(2));
        }
      }
    }
    return names;
  }

  @Test
  public void findingB2EachPromisedStatusIsThereOnItsBadSide() throws Exception {
    assertEquals(new TreeSet<>(BAD.keySet()), promises());
    List<String> wrong = new ArrayList<>();
    for (Map<String, String> lines : BAD.values()) {
      for (Map.Entry<String, String> line : lines.entrySet()) {
        check(wrong, line.getValue(), "exec", line.getKey());
      }
    }
    Program started = ib("start");
    assertEquals(started.err(), 0, started.status());
    for (Map<String, String> lines : BAD.values()) {
      for (Map.Entry<String, String> line : lines.entrySet()) {
        check(wrong, line.getValue(), "exec", "--attach", line.getKey());
        ib("exec", "--attach", "ib:plug soft0; ib:plug soft1");
      }
    }
    assertEquals(List.of(), wrong);
  }

  /** Runs a line until it says what is bad, which gives its status a meaning. */
  private void check(List<String> wrong, String said, String... line) throws Exception {
    Program run = ib(line);
    for (int i = 1; i < MAX_RUNS && !(run.out() + run.err()).contains(said); i++) {
      run = ib(line);
    }
    if (run.status() != 1 || !(run.out() + run.err()).contains(said)) {
      wrong.add(List.of(line) + ": " + run.status() + " " + run.out() + run.err());
    }
  }

  @Test
  public void findingB2EachCommandRefusesAWrongOption() throws Exception {
    assertEquals(0, ib("start").status());
    List<String> names = CommandsPage.of(folder.home()).names();
    assertTrue(names.toString(), names.size() > 50);
    List<String> accepted = new ArrayList<>();
    for (String name : names) {
      Program run = ib("exec", "--attach", name + " --no-such-option");
      if (run.status() == 0) {
        accepted.add(name + ": " + run.out());
      }
    }
    assertEquals(List.of(), accepted);
  }
}
