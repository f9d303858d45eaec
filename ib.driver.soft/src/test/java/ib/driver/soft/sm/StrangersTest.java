package ib.driver.soft.sm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.core.verbs.NodeType;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("I7, 4.5.6: who only sends to a group, at a switch away from its members")
final class StrangersTest {
  private static final Gid GROUP = Gid.parse("ff12:401b:ffff::f09:909");
  private static final int MLID = 0xc123;
  private static final int BETWEEN = 9;

  private final Fabric fabric = BuiltinSm.newFabric();

  private boolean forwards(Node node, int port) {
    synchronized (fabric) {
      return node.multicast().getOrDefault(MLID, new BitSet()).get(port);
    }
  }

  @Test
  @DisplayName("the built-in subnet manager takes over: a sender it has not heard of yet is heard")
  void takesOver() {
    Node left = new Node(NodeType.SWITCH, 0x10, BETWEEN, "left");
    Node right = new Node(NodeType.SWITCH, 0x20, BETWEEN, "right");
    left.port(BETWEEN).cable(right.port(BETWEEN));
    Node sender = new Node(NodeType.CA, 0x100, 1, "sender");
    Node member = new Node(NodeType.CA, 0x200, 1, "member");
    sender.port(1).cable(left.port(1));
    member.port(1).cable(right.port(1));
    Subnet subnet = fabric.describe("two", List.of(left, right, sender, member));
    FabricPort from = fabric.plug("sender", 0x100, 1, "elsewhere").getFirst();
    FabricPort to = fabric.plug("member", 0x200, 1, "elsewhere").getFirst();
    from.plugCable();
    to.plugCable();
    to.join(GROUP, MLID);
    assertTrue(forwards(right, 1));
    assertFalse(forwards(left, BETWEEN), "it knows all members: nobody is there");
    synchronized (fabric) {
      subnet.foreignManager(from.place(), true); // with priority 0 it makes room
      subnet.carry();
      subnet.foreignManager(from.place(), false);
      subnet.carry();
    }
    assertTrue(forwards(right, 1));
    assertTrue(forwards(left, BETWEEN), "the other one may have known somebody there");
    from.close();
    to.close();
    fabric.forget(subnet);
  }
}
