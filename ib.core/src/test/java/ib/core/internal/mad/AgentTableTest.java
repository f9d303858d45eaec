package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ib.core.mad.MadRegistration;
import ib.core.verbs.QpType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** M4: the numbers by which responses find their agents. */
class AgentTableTest {
  private static final int NUMBERS = 0xffff;

  private final VirtualWorld world = new VirtualWorld();
  private final Net net = new Net(world, 1, 1);

  private Agent add() {
    return net.agent(1, MadRegistration.sender(QpType.GSI), (a, r) -> {});
  }

  @Test
  @DisplayName("M4: a number of 16 bits, not 0, which no other agent has; it is given again last")
  void numbers() {
    int first = add().hiTid();
    Agent second = add();
    int free = second.hiTid();
    net.ports.getFirst().leave(second);
    for (int i = 2; i < NUMBERS; i++) {
      Agent next = add();
      assertNotEquals(0, next.hiTid());
      assertNotEquals(first, next.hiTid());
      assertNotEquals(free, next.hiTid());
      net.ports.getFirst().leave(next);
      world.runMs(0);
    }
    assertEquals(free, add().hiTid(), "the number of the first is passed by");
  }
}
