package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Limit;
import ib.driver.soft.flawed.Flaw;
import ib.kit.Case;
import ib.kit.Catalogue;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("finding")
@DisplayName("issue 3, section 5: the suite proves itself on devices with one flaw each")
final class KitProofTest {

  private static SoftBench bench(Flaw flaw) {
    return SoftBench.flawed(flaw, Map.of(Limit.MAX_QP, 6L));
  }

  @Test
  @DisplayName("the same disguise without a flaw passes all these cases")
  void harmless() {
    try (SoftBench bench = bench(Flaw.NONE)) {
      for (Flaw flaw : Flaw.values()) {
        if (flaw != Flaw.NONE) {
          Catalogue.find(flaw.caughtBy()).run(bench);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @DisplayName("caught by its case")
  void caught(Flaw flaw) {
    Case c = Catalogue.find(flaw.caughtBy());
    System.setProperty("ib.kit.wait", "2"); // a flaw is waited for, which need not take long
    try (SoftBench bench = bench(flaw)) {
      Throwable told = assertThrows(Throwable.class, () -> c.run(bench), c::title);
      assertTrue(
          told instanceof AssertionError || told instanceof RuntimeException, told::toString);
      assertTrue(!(told instanceof org.opentest4j.TestAbortedException), "not skipped: " + told);
    } finally {
      System.clearProperty("ib.kit.wait");
    }
  }
}
