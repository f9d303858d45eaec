package samples.ulp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.client.ClientRegistration;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.kit.fabric.IbFabric;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@IbFabric
class EchoTest {
  private final Echo echo = new Echo();

  @Test
  void saysOnEachDevice(IbCore core) {
    ClientRegistration registration = core.registerClient(echo);
    assertEquals(Map.of("soft0", "hello", "soft1", "hello"), echo.say("hello"));
    assertThrows(IllegalArgumentException.class, () -> echo.say("x".repeat(Link.MAX_BYTES + 1)));
    registration.unregister();
    assertEquals(Map.of(), echo.say("hello"));
  }

  /** Afterwards {@link IbFabric} fails the test if anything was left open. */
  @Test
  void followsItsDevices(IbCore core, StandaloneFabric fabric) {
    ClientRegistration registration = core.registerClient(echo);
    fabric.unplug("soft1");
    assertEquals(Map.of("soft0", "hello"), echo.say("hello"));
    fabric.plug("soft1");
    assertEquals(Map.of("soft0", "again", "soft1", "again"), echo.say("again"));
    registration.unregister();
  }
}
