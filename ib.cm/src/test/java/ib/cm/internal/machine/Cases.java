package ib.cm.internal.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEnd;
import ib.cm.CmEvent;
import ib.cm.internal.machine.Lab.Side;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Runs cases with many seeds. */
final class Cases {
  /** How many seeds each case has; -Dib.cm.seeds=… */
  static final int SEEDS = Integer.getInteger("ib.cm.seeds", 1_000);

  /** The first seed; -Dib.cm.first=…, with one seed to see a failure again. */
  static final int FIRST = Integer.getInteger("ib.cm.first", 0);

  static final int MAX_REPORTED = 3;

  private Cases() {}

  private static Map<Long, List<String>> wrong(
      Consumer<Lab> script, StateTable table, Limits limits, int seeds) {
    Map<Long, List<String>> wrong = new TreeMap<>();
    for (long seed = FIRST; seed < FIRST + (long) seeds && wrong.size() < MAX_REPORTED; seed++) {
      Lab lab = new Lab(seed, table, limits);
      script.accept(lab);
      List<String> found = lab.run();
      if (!found.isEmpty()) {
        wrong.put(seed, found);
      }
    }
    return wrong;
  }

  /** Runs a case with all seeds, and finds nothing wrong. */
  static void right(Consumer<Lab> script) {
    right(script, SEEDS);
  }

  static void right(Consumer<Lab> script, int seeds) {
    assertEquals(Map.of(), wrong(script, StateTable.IBA, Limits.DEFAULT, seeds));
  }

  /** Runs a case with all seeds and other limits, and finds nothing wrong. */
  static void right(Consumer<Lab> script, Limits limits) {
    assertEquals(Map.of(), wrong(script, StateTable.IBA, limits, SEEDS));
  }

  /** Runs a case with limits that are wrong, and finds it. */
  static void caught(Consumer<Lab> script, Limits planted) {
    boolean none = wrong(script, StateTable.IBA, planted, SEEDS).isEmpty();
    assertFalse(none, "the planted limits are not caught");
  }

  /** Runs a case with a table in which a row is wrong, and finds it. */
  static void caught(Consumer<Lab> script, StateTable planted) {
    assertTrue(
        !wrong(script, planted, Limits.DEFAULT, SEEDS).isEmpty(), "the planted bug is not caught");
  }

  /** Disconnects each connection of a side a second after it is established. */
  static void disconnects(Lab lab, Side side) {
    side.does =
        (c, event) -> {
          if (event instanceof CmEvent.Established) {
            lab.in(lab.upTo(100) + 1_000 * Lab.MS, side, () -> side.disconnect(c));
          }
        };
  }

  /**
   * Each connection was established at its active side, and ends so at both; at the passive side
   * the peer's DREQ may come before any of its RTUs, which implies it (CM-43).
   */
  static void whole(Lab lab, int connections, CmEnd... ends) {
    lab.then(
        () -> {
          for (Side each : List.of(lab.a, lab.b)) {
            lab.must(each.heard.size() == connections, each.lid + ": " + each.heard.size());
            each.heard.forEach(
                (c, h) -> {
                  boolean implied = !c.active && h.end() == CmEnd.DISCONNECTED;
                  lab.must(h.isUp() || implied, each.lid + " is not established: " + h.events);
                  lab.must(List.of(ends).contains(h.end()), each.lid + " ends " + h.events);
                });
          }
        });
  }
}
