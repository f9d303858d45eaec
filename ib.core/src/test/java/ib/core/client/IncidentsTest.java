package ib.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Issue 5 what is refused or outlived: counted by reason, one line a minute, no stack")
final class IncidentsTest {
  private final List<String> lines = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private final Incidents incidents = new Incidents("the door", lines::add, clock::get);

  @Test
  @DisplayName(
      "one line a minute whatever the reason, with the source of the last and how many more")
  void oneLineAMinute() {
    for (int i = 0; i < 1000; i++) {
      incidents.refused(i % 2 == 0 ? "too short" : "unknown", () -> "port 5");
    }
    assertEquals(List.of("the door refused: too short, from port 5"), lines);
    clock.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
    incidents.refused("unknown", () -> "port 6");
    assertEquals(1, lines.size());
    clock.addAndGet(1);
    incidents.refused("unknown", () -> "port 7");
    assertEquals(2, lines.size());
    String more = " (and 1000 more since the line before this)";
    assertEquals("the door refused: unknown, from port 7" + more, lines.getLast());
    assertEquals(500, incidents.refused("too short"));
    assertEquals(502, incidents.refused("unknown"));
    assertEquals(0, incidents.refused("never"));
    assertEquals(1002, incidents.total());
    assertEquals(0, incidents.outlived());
  }

  @Test
  @DisplayName("a turn throws, whatever it is: the caller goes on, one line without a stack")
  void serve() {
    assertTrue(incidents.serve(() -> {}));
    for (Throwable each : List.of(new OutOfMemoryError("heap"), new StackOverflowError())) {
      assertFalse(incidents.serve(() -> sneak(each)));
    }
    assertEquals(2, incidents.outlived());
    assertEquals(1, lines.size());
    assertTrue(lines.getFirst().startsWith("the door outlived: java.lang.OutOfMemoryError at ib."));
    assertTrue(lines.getFirst().endsWith(": heap"), lines.getFirst());
    assertEquals(2, incidents.counts().size());
  }

  @Test
  @DisplayName("no memory for the line, or the log fails: counted, not thrown")
  void noMemoryForTheLine() {
    Incidents poor =
        new Incidents(
            "the door",
            line -> {
              throw new OutOfMemoryError(line);
            },
            clock::get);
    assertFalse(poor.outlive(() -> sneak(new IllegalStateException())));
    assertEquals(1, poor.outlived());
    poor.refused("too short", () -> "port 5");
    assertEquals(1, poor.refused("too short"));
  }

  @Test
  @DisplayName("a stranger's text makes no lines of its own, and reasons do not fill the memory")
  void bounded() {
    incidents.refused("name", () -> "a\nb\u001b[2J" + "c".repeat(10_000));
    assertFalse(lines.getFirst().contains("\n"));
    assertFalse(lines.getFirst().contains("\u001b"));
    assertTrue(lines.getFirst().length() < 300, lines.getFirst());
    for (int i = 0; i < 10_000; i++) {
      incidents.refused("reason " + i, () -> "");
    }
    assertTrue(incidents.counts().size() < 300);
    assertEquals(10_001, incidents.counts().values().stream().mapToLong(n -> n).sum());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable t) throws T {
    throw (T) t;
  }
}
