package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often is set by {@code -Dib.ipoib.removals=}, 1,000 at night. */
@DisplayName(
    "section 7: remove returns whatever goes on, and leaves no interface, thread or object")
@Timeout(300)
class RemoveTest {
  private static final int REMOVALS = Integer.getInteger("ib.ipoib.removals", 60);
  private final Lab lab = new Lab(1, LinkConfig.DEFAULT, name -> Backend.inJvm());

  @AfterEach
  void close() {
    lab.subnet.release();
    lab.close();
    assertEquals(List.of(), threads());
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("ipoib-"))
        .toList();
  }

  private void removed() {
    lab.unplug(1);
    assertEquals(List.of("ipoib-ib0"), threads());
    assertEquals(1, lab.ipoib.interfaces().size());
    assertEquals(1, lab.subnet.openClients());
  }

  @Test
  @DisplayName("while the first join is in flight, of a subnet manager that is dead")
  void joining() {
    lab.up("ib0");
    lab.subnet.dead = true;
    for (int i = 0; i < REMOVALS; i++) {
      lab.plug();
      removed();
    }
  }

  @Test
  @DisplayName("while answers come: at each moment of the way up")
  void comingUp() {
    lab.up("ib0");
    for (int i = 0; i < REMOVALS; i++) {
      lab.plug();
      for (int spin = 0; spin < i * 2000; spin++) {
        Thread.onSpinWait();
      }
      removed();
    }
  }

  @Test
  @DisplayName("with paths and neighbours asked for and 10,000 packets queued")
  void queued() {
    lab.up("ib0");
    for (int i = 0; i < Math.max(3, REMOVALS / 20); i++) {
      lab.plug();
      lab.up("ib1");
      NetIf stack = lab.stack("ib1");
      stack.address(Ip.parse("10.96.0.2"), 16);
      lab.subnet.hold();
      for (int packet = 0; packet < 10_000; packet++) {
        stack.send(7, Ip.v4(0x0a600000 + packet % 500 + 3), 7, new byte[100]);
      }
      removed();
      lab.subnet.release();
    }
  }

  @Test
  @DisplayName("with a port that is down, and with children that wait")
  void portDown() {
    lab.up("ib0");
    for (int i = 0; i < Math.max(3, REMOVALS / 10); i++) {
      lab.plug();
      lab.up("ib1");
      lab.ipoib.createChild("ib1", 0x8001);
      lab.nodes.get(1).cable(false);
      removed();
    }
  }
}
