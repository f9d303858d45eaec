package samples.driver;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each device says its LID, and no two have one LID. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CableLidTest {
  private static void refused(StandaloneFabric.Options options, String text) {
    IbException refusal = assertThrows(IbException.class, () -> options.open().close());
    assertTrue(refusal.getMessage().contains(text), refusal.getMessage());
  }

  @Test
  void aDeviceWithoutALidIsRefused() {
    refused(
        StandaloneFabric.options(CableDriver.PID).device("cable0", Map.of()),
        "lid: a whole number from 1 to " + Cable.MAX_LID);
  }

  @Test
  void aLidInUseIsRefused() {
    refused(
        StandaloneFabric.options(CableDriver.PID)
            .device("cable0", Map.of("lid", 1))
            .device("cable1", Map.of("lid", 1)),
        "LID 1 is in use");
  }

  @Test
  void onlyThePortAtTheLidCanBeUnplugged() {
    try (StandaloneFabric fabric =
        StandaloneFabric.options(CableDriver.PID).device("cable0", Map.of("lid", 1)).open()) {
      fabric.unplug("cable0");
      assertDoesNotThrow(() -> fabric.plug("cable0"), "the LID is free again");
    }
  }
}
