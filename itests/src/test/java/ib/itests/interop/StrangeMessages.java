package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * T19: messages of the connection manager that no program would send, with a right ICRC, reach a
 * port of ours that refuses, and one of Linux. Nothing breaks, and nothing is kept.
 */
@RunWith(Parameterized.class)
public class StrangeMessages {
  private static final int MANY = 100_000;
  private static final int PORT = 7_900;
  private static final long HEAP = 8L << 20; // each message kept for good would be 40 times as much

  public StrangeMessages(String name, String options) {
    assertEquals("T19 strange messages", name);
    assertEquals("", options);
  }

  /** It takes a minute or two: for the full matrix. */
  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    if (Matrix.FULL) {
      cases.add(new Object[] {"T19 strange messages", ""});
    }
    return Lane.chosen(cases);
  }

  private static String script(String from, String to) {
    return "/strange.py " + from + " " + to + " " + MANY + " 1 " + PORT;
  }

  @Test
  public void outlived() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    Path strange = Path.of("peer/strange.py").toAbsolutePath();
    Lane.LANE.peer.run(30, "put", strange.toString(), "/strange.py");
    int said = Lane.LANE.shell().said().length();
    Map<String, Long> before = Managers.here();
    Lane.LANE.run("interop:listen " + LinuxPeer.HERE + " " + PORT + " refuse");
    long heap = heap();
    Program theirs = Lane.LANE.peer.exec("python3 " + script(LinuxPeer.ADDRESS, LinuxPeer.HERE));
    assertEquals(theirs.toString(), 0, theirs.status());
    Map<String, Long> after = Managers.here();
    Map<String, Long> got = new HashMap<>();
    after.keySet().forEach(name -> got.put(name, Managers.grown(before, after, name)));
    long seen = Managers.allGrown(before, after, "received.");
    long dropped = Managers.allGrown(before, after, "dropped.");
    assertTrue("most arrive: " + got, seen + dropped > MANY / 2);
    assertTrue("requests reach the program: " + got, got.getOrDefault("sent.REJ", 0L) > 0);
    assertTrue(heap() - heap < HEAP);
    Lane.LANE.run("interop:leave " + PORT);
    String log = Lane.LANE.shell().said().substring(said);
    assertFalse(log, log.contains("Exception") || log.contains(" at ib."));

    String mark = Lane.LANE.peer.markKernelLog();
    Program ours =
        Lane.LANE.peer.run(
            120,
            ("host python3 " + strange + script(LinuxPeer.HERE, LinuxPeer.ADDRESS).substring(11))
                .split(" "));
    assertEquals(ours.toString(), 0, ours.status());
    for (String line : Lane.LANE.peer.kernelLogSince(mark)) {
      assertFalse(line, line.matches("(?i).*(bug:|oops|warning:|call trace).*"));
    }
    Managers.nothingIsLeft();
    Program works = Lane.LANE.peer.exec("rping -c -C 1 -p 7998 -a " + LinuxPeer.HERE + " 2>&1");
    assertTrue(works.toString(), works.out().contains("REJECTED, error 8"));
    String mine = Lane.LANE.run("rping -c -C 1 -p 7998 -a " + LinuxPeer.ADDRESS);
    assertTrue(mine, mine.contains("REJECTED, error 8"));
  }

  private static long heap() {
    return Long.parseLong(Lane.LANE.run("interop:heap").replaceAll("(?s).*heap (\\d+).*", "$1"));
  }
}
