package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ib.core.client.Violation;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("D2: the latest violations")
class ViolationLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger("ib.core.contract");
  private final ViolationLog log = new ViolationLog();

  @BeforeEach
  void quiet() {
    logger.setLevel(Level.OFF); // thousands of lines
  }

  @AfterEach
  void loud() {
    logger.setLevel(null);
  }

  private static Violation by(int culprit) {
    return new Violation("S1", "client " + culprit, "text", List.of("at"), List.of());
  }

  private static List<Violation> range(int from, int to) {
    return IntStream.range(from, to).mapToObj(ViolationLogTest::by).toList();
  }

  @Test
  @DisplayName("D2: the latest 1,000 are kept, oldest first, and all are counted")
  void latest() {
    range(0, 1000).forEach(log::add);
    assertEquals(range(0, 1000), log.list());
    range(1000, 1234).forEach(log::add);
    assertEquals(range(234, 1234), log.list());
    assertEquals(1234, log.total());
  }

  @Test
  @DisplayName("D2: two violations with one hash are two, also when they come again")
  void oneHash() {
    List<Violation> two = // "Aa" and "BB" have one hash code
        List.of(
            new Violation("S1", "ulp", "text", List.of("Aa"), List.of()),
            new Violation("S1", "ulp", "text", List.of("BB"), List.of()));
    two.forEach(log::add);
    two.forEach(log::add);
    assertEquals(two, log.list());
  }

  @Test
  @DisplayName("D2: what was logged is counted only, and logged again after 1,000 others")
  void toldAgain() {
    log.add(by(0));
    log.add(by(0));
    assertEquals(List.of(by(0)), log.list());
    range(1, 999).forEach(log::add);
    log.add(by(0));
    assertEquals(range(0, 999), log.list());
    log.add(by(999));
    log.add(by(0));
    assertEquals(1000, log.list().size());
    assertEquals(by(1), log.list().getFirst());
    assertEquals(by(0), log.list().getLast());
    assertEquals(1003, log.total());
  }

  @Test
  @DisplayName("D2: the same clause of another culprit, or at another place, is logged")
  void different() {
    Violation first = by(0);
    log.add(first);
    Violation elsewhere = new Violation("S1", "client 0", "text", List.of("there"), List.of());
    Violation other = new Violation("S2", "client 0", "text", List.of("at"), List.of());
    List.of(elsewhere, other, by(1)).forEach(log::add);
    assertEquals(List.of(first, elsewhere, other, by(1)), log.list());
  }

  private static List<String> deep(int calls) {
    return calls == 0 ? Stacks.here() : deep(calls - 1);
  }

  @Test
  @DisplayName("B10: a stack begins with the caller, and is cut at 64 frames")
  void stacks() throws InterruptedException {
    assertTrue(Stacks.here().getFirst().contains("ViolationLogTest.stacks"));
    assertEquals(64, deep(100).size());
    assertTrue(deep(0).getFirst().contains("ViolationLogTest.deep"));
    assertEquals(List.of(), Stacks.of(null));
    Thread over = Thread.ofPlatform().start(() -> {});
    over.join();
    assertEquals(List.of(), Stacks.of(over));
    assertTrue(Stacks.of(Thread.currentThread()).size() > 3);
  }
}
