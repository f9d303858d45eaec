package ib.driver.soft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;

@DisplayName("B8: what is routed change by change is what one sweep over everything routes")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IncrementalTest {
  private static final int SPINES = 2;
  private static final int LEAVES = 4;
  private static final int ADAPTERS = 24;
  private static final int STEPS = 120;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<Node> nodes = tree();
  private final Subnet subnet = fabric.describe("tree", nodes);
  private final Map<Integer, FabricPort> open = new TreeMap<>();
  private final Map<Integer, Set<Integer>> heard = new TreeMap<>(); // adapters by multicast LID

  private static List<Node> tree() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < SPINES + LEAVES; i++) {
      nodes.add(new Node(NodeType.SWITCH, 0x200 + i, 12, "s" + i));
    }
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      for (int spine = 0; spine < SPINES; spine++) {
        nodes.get(SPINES + leaf).port(12 - spine).cable(nodes.get(spine).port(leaf + 1));
      }
    }
    for (int i = 0; i < ADAPTERS; i++) {
      Node node = new Node(NodeType.CA, 0x1000 + 0x10L * i, 1, "a" + i);
      node.port(1).cable(nodes.get(SPINES + i % LEAVES).port(1 + i / LEAVES));
      nodes.add(node);
    }
    return nodes;
  }

  private void plug(int i) {
    FabricPort port = fabric.plug("a" + i, 0, 1, "-").getFirst();
    port.attach(new TestPort(), Mtu.MTU_4096);
    port.plugCable();
    open.put(i, port);
  }

  private void close(int i) {
    open.remove(i).close();
    heard.values().forEach(members -> members.remove(i));
  }

  private static Gid group(int number) {
    return new Gid(0xff12_0000_0000_0000L, number);
  }

  private void attach(int i, int number, boolean joins) {
    int mlid = 0xC000 + 7 * number;
    if (heard.computeIfAbsent(mlid, k -> new HashSet<>()).contains(i) == joins) {
      return;
    }
    if (joins) {
      open.get(i).join(group(number), mlid);
      heard.get(mlid).add(i);
    } else {
      open.get(i).leave(group(number), mlid);
      heard.get(mlid).remove(i);
    }
  }

  /** A link between switches is switched off, or on again. */
  private void link(int leaf, int spine, boolean up) {
    synchronized (fabric) {
      NodePort port = nodes.get(SPINES + leaf).port(12 - spine);
      MemorySegment data = MemorySegment.ofArray(new byte[64]).copyFrom(port.info());
      PortInfo.PORT_STATE.set(data, up ? 0 : PortState.DOWN.value());
      PhysState phys = up ? PhysState.POLLING : PhysState.DISABLED;
      PortInfo.PORT_PHYS_STATE.set(data, phys.value());
      NodePort zero = port.node().port(0);
      subnet.set(zero, SmpAttribute.PORT_INFO, port.number(), data);
      subnet.relinked();
    }
  }

  private void step(Random chance) {
    int i = chance.nextInt(ADAPTERS);
    FabricPort port = open.get(i);
    int what = chance.nextInt(20);
    if (port == null) {
      plug(i);
    } else if (what < 4) {
      close(i);
    } else if (what < 8 && port.cabled()) {
      port.pullCable();
    } else if (what < 10) {
      port.plugCable();
    } else if (what < 18) {
      attach(i, chance.nextInt(4), chance.nextBoolean());
    } else { // one spine stays whole
      link(chance.nextInt(LEAVES), 1, chance.nextBoolean());
    }
  }

  private String tables() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes.subList(0, SPINES + LEAVES)) {
      int[] linear = new int[Node.LINEAR_CAP];
      Arrays.setAll(linear, node::linear);
      for (int lid = 0; lid < linear.length; lid++) {
        if (linear[lid] != Node.NO_PORT) {
          text.append(node).append(' ').append(lid).append("->").append(linear[lid]).append('\n');
        }
      }
      for (NodePort port : node.ports()) {
        text.append(port).append(port.state()).append('\n');
      }
    }
    return text.toString();
  }

  private void routed() {
    String before;
    synchronized (fabric) {
      before = tables();
      reached();
      subnet.manager().sweep();
      subnet.settle();
      assertEquals(tables(), before);
      reached();
    }
  }

  /** Packets go where they are to go, from everywhere. */
  private void reached() {
    List<Map.Entry<Integer, FabricPort>> up =
        open.entrySet().stream().filter(e -> e.getValue().cabled()).toList();
    for (Map.Entry<Integer, FabricPort> from : up) {
      assertEquals(PortState.ACTIVE, from.getValue().place().state());
      for (Map.Entry<Integer, FabricPort> to : up) {
        int lid = to.getValue().place().lid();
        assertEquals(to.getValue(), from.getValue().table.port(lid), from + " to " + to);
      }
      heard.forEach(
          (mlid, members) -> {
            Set<FabricPort> wanted =
                up.stream()
                    .filter(e -> members.contains(e.getKey()))
                    .map(Map.Entry::getValue)
                    .collect(Collectors.toSet());
            if (members.contains(from.getKey())) {
              Set<FabricPort> found = Set.of(from.getValue().table.members(mlid));
              assertEquals(wanted, found, () -> String.format("%x from %s", mlid, from));
            }
          });
    }
  }

  @RepeatedTest(10)
  @DisplayName("B8: any order of plugs, pulls, joins and links of switches that come and go")
  void same(RepetitionInfo repetition) {
    Random chance = new Random(repetition.getCurrentRepetition());
    for (int i = 0; i < STEPS; i++) {
      step(chance);
      if (i % 8 == 7) {
        routed();
      }
    }
    for (int i : List.copyOf(open.keySet())) {
      close(i);
    }
    routed();
    assertTrue(heard.values().stream().allMatch(Set::isEmpty));
    fabric.forget(subnet);
  }
}
