package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.RemovalReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The order in which clients are added and removed. */
class OrderTest {

  private static List<String> adds(Stage s, String device) {
    return s.log.stream()
        .filter(l -> l.startsWith("add ") && l.endsWith(" " + device))
        .map(l -> l.split(" ")[1])
        .toList();
  }

  private static List<String> removes(Stage s, String device) {
    return s.log.stream()
        .filter(l -> l.startsWith("remove ") && l.endsWith(" " + device))
        .map(l -> l.split(" ")[1])
        .toList();
  }

  @Test
  @DisplayName(
      "S40, I1: removes are the exact reverse of the successful adds, and the report says so")
  void lifo() throws Exception {
    Stage.play(
        s -> {
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                throw new IllegalStateException("not today");
              };
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                s.register(b);
                s.register(s.client("c"));
                s.register(s.client("d"));
                s.hotplug.unregister(s.up("dev"), Form.THROW);
              });
          s.run();
          assertEquals(List.of("a", "b", "c", "d"), adds(s, "dev"));
          assertEquals(List.of("d", "c", "a"), removes(s, "dev"));
          RemovalReport report = s.hotplug.lastRemoval("dev").orElseThrow();
          assertEquals(
              List.of("d 3", "c 2", "a 1"),
              report.steps().stream().map(x -> x.client() + " " + x.sequence()).toList());
          assertTrue(report.totalNs() > 0);
        });
  }

  @Test
  @DisplayName("S41, B3: every order in which clients with dependencies start gives the right adds")
  void allPermutations() throws Exception {
    for (List<String> order : permutations(List.of("mad", "sa", "ipoib", "other"))) {
      Stage s = new Stage(7);
      s.task(
          "main",
          () -> {
            for (String name : order) {
              switch (name) {
                case "sa" -> s.register(s.client(name), "mad");
                case "ipoib" -> s.register(s.client(name), "sa", "mad");
                default -> s.register(s.client(name));
              }
            }
            s.hotplug.unregister(s.up("dev"), Form.THROW);
          });
      s.run();
      List<String> adds = adds(s, "dev");
      assertEquals(4, adds.size());
      assertTrue(adds.indexOf("mad") < adds.indexOf("sa"), order + " -> " + adds);
      assertTrue(adds.indexOf("sa") < adds.indexOf("ipoib"), order + " -> " + adds);
      assertEquals(adds.reversed(), removes(s, "dev"));
    }
  }

  private static List<List<String>> permutations(List<String> items) {
    if (items.isEmpty()) {
      return List.of(List.of());
    }
    List<List<String>> all = new ArrayList<>();
    for (String first : items) {
      List<String> rest = new ArrayList<>(items);
      rest.remove(first);
      for (List<String> tail : permutations(rest)) {
        List<String> one = new ArrayList<>(List.of(first));
        one.addAll(tail);
        all.add(one);
      }
    }
    return all;
  }

  @Test
  @DisplayName(
      "S41: a client whose predecessor comes later goes on; the next device has the right order")
  void predecessorLater() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("ipoib"), "sa");
                DeviceEntry d1 = s.up("d1");
                s.register(s.client("sa"));
                s.up("d2");
                s.hotplug.unregister(d1, Form.THROW);
              });
          s.run();
          assertEquals(List.of("ipoib", "sa"), adds(s, "d1"));
          assertEquals(List.of("sa", "ipoib"), adds(s, "d2"));
          assertEquals(List.of("sa", "ipoib"), removes(s, "d1")); // the reverse of what happened
        });
  }

  @Test
  @DisplayName("S41: a cycle is reported and ignored; every client is added")
  void cycle() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("a"), "b");
                s.register(s.client("b"), "c");
                s.register(s.client("c"), "a");
                s.register(s.client("z"), "c", "nobody");
                s.up("d");
              });
          s.run();
          assertEquals(List.of("a", "c", "b", "z"), adds(s, "d"));
          assertEquals(1, s.notes.stream().filter(n -> n.contains("[c, a, b, c]")).count());
        });
  }

  @Test
  @DisplayName("S39: a rank, as the service's id, decides before the order of arrival")
  void rank() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.hotplug.announce(s.client("late"), "late", List.of(), 30L);
                s.hotplug.announce(s.client("early"), "early", List.of(), 10L);
                s.hotplug.announce(s.client("byHand"), "byHand", List.of(), null);
                s.hotplug.announce(s.client("last"), "last", List.of(), 31L);
                s.up("d");
              });
          s.run();
          assertEquals(List.of("early", "late", "byHand", "last"), adds(s, "d"));
          assertEquals(
              List.of(1L, 2L, 3L, 4L),
              s.hotplug.clients().stream().map(c -> c.sequence()).toList());
        });
  }
}
