package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B8: what an adapter costs while nothing happens")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ThreadsTest {
  private static final int ADAPTERS = 40;

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(n -> n.startsWith("ib-many"))
        .sorted()
        .toList();
  }

  @Test
  @DisplayName("B8: one thread an adapter, also when each has had an event")
  void onePerAdapter() {
    try (Lab lab = new Lab()) {
      for (int i = 0; i < ADAPTERS; i++) {
        lab.configure("many" + i);
      }
      for (int i = 0; i < ADAPTERS; i++) {
        lab.configure("many" + i, "pkeys", new String[] {"0xffff", "0x8123"});
        int number = i;
        OpensmTest.await(
            "many" + i + " has dispatched",
            () -> lab.midlayer.core().eventCounters("many" + number).get("dispatched") > 0);
      }
      OpensmTest.await("the drivers' threads have ended", () -> threads().size() <= ADAPTERS);
      assertTrue(threads().stream().allMatch(n -> n.endsWith("-engine")), threads().toString());
    }
    assertEquals(List.of(), threads());
  }
}
