package ib.driver.soft;

import ib.kit.Case;
import ib.kit.Catalogue;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table of deadlocks while nothing is checked: then atomic sections wait, too. */
@DisplayName("2.6-4, B15: pairs of callbacks that wait for each other, unchecked")
final class UncheckedDeadlockTest {
  private static final String CHECK = "ib.check";
  private static String before;

  @BeforeAll
  static void unchecked() {
    before = System.setProperty(CHECK, "false");
  }

  @AfterAll
  static void checked() {
    if (before == null) {
      System.clearProperty(CHECK);
    } else {
      System.setProperty(CHECK, before);
    }
  }

  @TestFactory
  @DisplayName("one of two waits gives way at once, the one that the table says")
  Stream<DynamicTest> cases() {
    SoftBench bench = new SoftBench();
    List<Case> cases = Catalogue.cases().stream().filter(c -> c.id().startsWith("DEAD-")).toList();
    return cases.stream()
        .map(c -> DynamicTest.dynamicTest(c.title(), () -> c.run(bench)))
        .onClose(bench::close);
  }
}
