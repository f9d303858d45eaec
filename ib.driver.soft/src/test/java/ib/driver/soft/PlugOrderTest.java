package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In which order the devices of a driver that starts are announced. */
@DisplayName("S39: the order of devices at start is that of their configurations' names")
@Timeout(600)
final class PlugOrderTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private final FakeDevice.World world = new FakeDevice.World();

  @AfterEach
  void stop() {
    world.devices.stop();
  }

  private void expect(List<String> names) {
    world.devices.expect(names.stream().map(n -> "ib.driver.soft~" + n).toList());
  }

  private List<String> announced() {
    return world.take().stream().filter(l -> l.startsWith("announce ")).toList();
  }

  @RepeatedTest(20)
  @DisplayName("S39: whatever order the configurations come in")
  void anyOrder(RepetitionInfo repetition) {
    expect(NAMES);
    List<String> order = new ArrayList<>(NAMES);
    Collections.shuffle(order, new Random(repetition.getCurrentRepetition()));
    order.forEach(world::configure);
    world.quiesce();
    assertEquals(NAMES.stream().map(n -> "announce " + n).toList(), announced());
  }

  @Test
  @DisplayName(
      "F25: a device that is wrong, in conflict, deleted or cannot be built delays no other device")
  void oneDoesNotCome() {
    world.inBuild =
        name -> {
          if (name.equals("d")) {
            throw new IllegalStateException("planned");
          }
        };
    expect(NAMES);
    world.configure("e");
    world.configure("d");
    world.configure("b", "mtu", "17");
    world.delete("c");
    world.configure("a");
    world.quiesce();
    assertEquals(List.of("announce a", "announce e"), announced());
  }

  @RepeatedTest(50)
  @DisplayName("a driver that stops while some wait for their turn does not wait for them")
  void stopsMeanwhile() {
    expect(NAMES);
    world.configure("b");
    world.configure("c");
    world.devices.stop();
    assertEquals(List.of(), announced());
  }
}
