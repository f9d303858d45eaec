package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the connection managers of both sides have counted (LX-7), and what they still have. */
final class Managers {
  private static final Pattern THERE = Pattern.compile("cm_(\\w+)/(\\w+):(\\d+)");
  private static final Pattern HERE = Pattern.compile("(\\w+\\.\\w+)=(\\d+)");

  private Managers() {}

  /** {@return Linux's counters, such as {@code tx_retries.req}} */
  static Map<String, Long> there() {
    String text = Lane.LANE.peer.must("cd /sys/class/infiniband/rxe0/ports/1 && grep -r . cm_*");
    Map<String, Long> counts = new TreeMap<>();
    Matcher found = THERE.matcher(text);
    while (found.find()) {
      counts.put(found.group(1) + "." + found.group(2), Long.parseLong(found.group(3)));
    }
    assertTrue(text, counts.containsKey("tx_msgs.req"));
    return counts;
  }

  /** {@return ours, such as {@code sent.REQ}} */
  static Map<String, Long> here() {
    Map<String, Long> counts = new TreeMap<>();
    Matcher found = HERE.matcher(Lane.LANE.run("interop:counters"));
    while (found.find()) {
      counts.put(found.group(1), Long.parseLong(found.group(2)));
    }
    return counts;
  }

  /** {@return by how much a counter has grown} */
  static long grown(Map<String, Long> before, Map<String, Long> after, String name) {
    return after.getOrDefault(name, 0L) - before.getOrDefault(name, 0L);
  }

  /** {@return by how much all counters whose names begin so have grown} */
  static long allGrown(Map<String, Long> before, Map<String, Long> after, String prefix) {
    return after.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .mapToLong(name -> grown(before, after, name))
        .sum();
  }

  /** Section 7: after a case neither side has a connection or a listener. */
  static void nothingIsLeft() {
    assertEquals("there", "", Lane.LANE.peer.must("rdma res show cm_id").strip());
    String ours = Lane.LANE.run("rdma res show cm_id");
    assertTrue("here: " + ours, !ours.contains("cm-idn"));
  }
}
