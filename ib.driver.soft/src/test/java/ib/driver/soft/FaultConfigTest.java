package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.driver.soft.sm.BuiltinSm;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 3, section 2: standing faults of a device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FaultConfigTest {
  private static void exchange(Side a, Side b, int rounds) {
    int bytes = 20_000;
    for (int i = 0; i < rounds; i++) {
      a.memory().asSlice(0, bytes).fill((byte) i);
      b.receive(1, 0, bytes);
      a.send(3, 0, bytes);
      assertEquals(bytes, b.next(1).byteLen());
      a.next(3);
      assertEquals(-1, a.memory().asSlice(0, bytes).mismatch(b.memory().asSlice(0, bytes)));
    }
  }

  @Test
  @DisplayName(
      "F3 loss, reordering, duplicates and corruption by configuration: RC delivers every byte")
  void standing() {
    try (Lab lab = new Lab()) {
      lab.configure(
          "soft0",
          "faults",
          "loss rate=0.02, duplicate rate=0.05, reorder rate=0.02 delay=200us, corrupt rate=0.01",
          "fault_seed",
          "7");
      lab.configure("soft1");
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.RC, a, b, Mtu.MTU_4096);
      exchange(a, b, 40);
    }
  }

  @Test
  @DisplayName(
      "the service has the rules; a change of the configuration changes its own only, live")
  void live() {
    SoftDevice device =
        SoftDevice.plug(
            BuiltinSm.newFabric(), ConfigReader.read("soft0", Map.of("faults", "loss")), "1");
    try {
      FaultInjection faults = (FaultInjection) device.offers().get(FaultInjection.class);
      assertEquals("soft0", faults.device());
      assertEquals(List.of("loss"), rules(faults));
      faults.add(FaultRule.parse("corrupt"));
      device.change(ConfigReader.read("soft0", Map.of("faults", "delay")));
      assertEquals(List.of("corrupt", "delay"), rules(faults));
      device.change(ConfigReader.read("soft0", Map.of()));
      assertEquals(List.of("corrupt"), rules(faults));
      assertTrue(faults.remove(2));
    } finally {
      device.unplug();
    }
  }

  private static List<String> rules(FaultInjection faults) {
    return faults.list().stream().map(a -> a.rule().toString()).toList();
  }
}
