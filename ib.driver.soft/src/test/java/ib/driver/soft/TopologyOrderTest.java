package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PortState;
import ib.driver.base.Slot;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NetFile;
import ib.driver.soft.topology.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A7: devices and their topology come in any order: the fabric is the same")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TopologyOrderTest {
  private static final int DEVICES = 50;

  /** Two switches; the even ones are at the left one, the odd ones at the right one. */
  private static List<Node> topology() {
    StringBuilder text = new StringBuilder("Switch 36 \"left\"\n[36] \"right\"[36]\n");
    text.append("Switch 36 \"right\"\n");
    for (int i = 0; i < DEVICES; i++) {
      String side = i % 2 == 0 ? "left" : "right";
      text.append(String.format("Ca 1 \"d%d\"\n[1] \"%s\"[%d]%n", i, side, 1 + i / 2));
    }
    return NetFile.read(text.toString());
  }

  /** As the driver has it, but without a midlayer: nobody is to be told of 1,000 devices. */
  private static Lab lab() {
    Lab lab = new Lab().quiet();
    lab.fabric.rearranged(lab.devices::review);
    return lab;
  }

  private static void configure(Lab lab, int device) {
    lab.devices.configure("ib.driver.soft~d" + device, Map.of());
  }

  private static void quiesce(Lab lab) {
    lab.devices.slots().forEach(Slot::quiesce);
  }

  @RepeatedTest(20)
  @DisplayName("A7: all are where the topology says, on one subnet, with LIDs of their own")
  void anyOrder(RepetitionInfo repetition) {
    Random chance = new Random(repetition.getCurrentRepetition());
    List<Integer> order = new ArrayList<>(IntStream.range(0, DEVICES).boxed().toList());
    Collections.shuffle(order, chance);
    int when = chance.nextInt(DEVICES + 1); // so many come before the topology
    try (Lab lab = lab()) {
      order.subList(0, when).forEach(i -> configure(lab, i));
      if (chance.nextBoolean()) {
        quiesce(lab); // otherwise they are just being plugged in
      }
      Subnet subnet = lab.fabric.describe("file", topology());
      order.subList(when, DEVICES).forEach(i -> configure(lab, i));
      quiesce(lab);
      assertEquals(List.of(), lab.errors);
      assertEquals(Set.of(subnet), lab.fabric.subnets(), "no other subnet is left");
      assertEquals(DEVICES + 2, subnet.nodes().size());
      Set<Integer> lids = new TreeSet<>();
      for (SoftDevice device : lab.plugged()) {
        Node node = subnet.node(device.name());
        assertEquals(node.guid(), device.nodeGuid(), device.name());
        assertEquals(node.port(1).guid(), device.gid(1, 0).low(), device.name());
        assertEquals(PortState.ACTIVE, device.queryPort(1).state(), device.name());
        assertEquals(device.queryPort(1).lid(), node.port(1).lid(), device.name());
        lids.add(device.queryPort(1).lid());
      }
      assertEquals(DEVICES, lids.size(), lids.toString());
      lab.devices.stop();
      lab.fabric.forget(subnet);
    }
  }

  @Test
  @DisplayName("A7: what the topology does not know stays; when it goes, its devices come back")
  void goes() {
    try (Lab lab = lab()) {
      configure(lab, 0);
      configure(lab, 1);
      configure(lab, DEVICES + 1);
      quiesce(lab);
      SoftDevice before = lab.plugged().getLast();
      Subnet subnet = lab.fabric.describe("file", topology());
      quiesce(lab);
      assertEquals(before, lab.plugged().getLast(), "never unplugged");
      assertEquals(2, lab.fabric.subnets().size());
      lab.fabric.forget(subnet);
      quiesce(lab);
      assertEquals(1, lab.fabric.subnets().size());
      assertTrue(lab.plugged().stream().allMatch(d -> d.queryPort(1).state() == PortState.ACTIVE));
      assertEquals(List.of(), lab.errors);
    }
  }

  @Test
  @DisplayName("A7: a device that is unplugged and plugged again comes back to its place")
  void again() {
    try (Lab lab = lab()) {
      Subnet subnet = lab.fabric.describe("file", topology());
      configure(lab, 3);
      quiesce(lab);
      for (int i = 0; i < 3; i++) {
        lab.slot("d3").unplug();
        assertEquals(DEVICES + 2, subnet.nodes().size());
        lab.slot("d3").plug();
        assertEquals(subnet.node("d3").guid(), lab.plugged().getFirst().nodeGuid());
        assertEquals(PortState.ACTIVE, lab.plugged().getFirst().queryPort(1).state());
      }
      lab.devices.stop();
      lab.fabric.forget(subnet);
    }
  }
}
