package samples.plain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.IbDevice;
import ib.kit.fabric.IbFabric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageTest {
  @Test
  @IbFabric
  void arrives(IbDevice a, IbDevice b) {
    assertEquals("hello", Message.send("hello", a, b));
  }

  /** The same, while one packet of five is lost: the device sends it again. */
  @Test
  @IbFabric(faults = "loss rate=0.2", seed = 42)
  void arrivesThoughPacketsAreLost(IbDevice a, IbDevice b) {
    for (int i = 0; i < 20; i++) {
      assertEquals("message " + i, Message.send("message " + i, a, b));
    }
  }
}
