package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.spi.FaultInjection;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.kit.fault.FaultSource;
import ib.kit.fault.Faults;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 3, section 2: faults by annotation")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Faults(loss = 0.01, seed = 3)
final class FaultsExtensionTest {
  private static final int BYTES = 30_000;

  private final Lab lab = new Lab("soft0", "soft1");
  final FaultSource devices = lab::faults; // the extension looks for it

  @AfterEach
  void close() {
    for (FaultInjection device : lab.faults()) {
      assertEquals(List.of(), device.list(), "the extension takes its rules away");
    }
    lab.close();
  }

  private void exchange() {
    Side a = lab.side("soft0");
    Side b = lab.side("soft1");
    Side.connect(QpType.RC, a, b, Mtu.MTU_2048);
    for (int i = 0; i < 10; i++) {
      a.memory().asSlice(0, BYTES).fill((byte) i);
      b.receive(1, 0, BYTES);
      a.send(3, 0, BYTES);
      b.next(1);
      a.next(3);
      assertEquals(-1, a.memory().asSlice(0, BYTES).mismatch(b.memory().asSlice(0, BYTES)));
    }
  }

  private List<String> rules() {
    return lab.faults().getFirst().list().stream().map(a -> a.rule().toString()).toList();
  }

  @Test
  @DisplayName("the class's annotation holds for each of its tests")
  void ofClass() {
    assertEquals(List.of("loss rate=0.01"), rules());
    exchange();
  }

  @Test
  @Faults(duplicate = 0.1, corrupt = 0.01, rules = "delay rate=0.1 delay=50us", seed = 5)
  @DisplayName("a method's own annotation stands instead of it")
  void ofMethod() {
    assertEquals(
        List.of("duplicate rate=0.1", "corrupt rate=0.01", "delay rate=0.1 delay=50us"), rules());
    exchange();
  }
}
