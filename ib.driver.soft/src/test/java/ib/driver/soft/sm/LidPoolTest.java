package ib.driver.soft.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.NodeType;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("4.5.2 LIDs of ports (IBA 4.1.3)")
final class LidPoolTest {
  @Test
  @DisplayName("all in use: an error that says what and what to try; one given back is given again")
  void exhausted() {
    LidPool pool = new LidPool("subnet", 4);
    Node adapter = new Node(NodeType.CA, 0x100, 4, "adapter");
    Node other = new Node(NodeType.CA, 0x200, 1, "other");
    Node sw = new Node(NodeType.SWITCH, 0x300, 4, "switch");
    for (int n = 1; n <= 3; n++) {
      assertEquals(n, pool.lid(adapter.port(n)));
    }
    assertEquals(4, pool.lid(sw.port(0)), "a switch from above");
    for (NodePort port : new NodePort[] {adapter.port(4), other.port(1)}) {
      IbNoMemoryException e = assertThrows(IbNoMemoryException.class, () -> pool.lid(port));
      assertTrue(e.getMessage().contains("all 4 LIDs are in use"), e.getMessage());
    }
    assertThrows(
        IbNoMemoryException.class, () -> pool.lid(new Node(NodeType.SWITCH, 1, 1, "x").port(0)));
    assertEquals(2, pool.lid(adapter.port(2)), "who has one keeps it");
    pool.forget(adapter.port(2));
    assertEquals(2, pool.lid(other.port(1)));
  }

  @Test
  @DisplayName("a LID that a port has is adopted, unless another port has it; forgetting frees it")
  void adopted() {
    LidPool pool = new LidPool("subnet", 9);
    Node adapter = new Node(NodeType.CA, 0x100, 3, "adapter");
    for (int n = 1; n <= 3; n++) {
      PortInfo.LID.set(adapter.port(n).info(), 7);
    }
    assertEquals(7, pool.lid(adapter.port(1)));
    assertEquals(1, pool.lid(adapter.port(2)), "7 is the first port's");
    assertEquals(7, pool.given(adapter.port(1)));
    pool.clear();
    assertEquals(0, pool.given(adapter.port(1)));
    assertEquals(7, pool.lid(adapter.port(3)), "the first that asks has it");
    assertEquals(1, pool.lid(adapter.port(1)));
  }
}
