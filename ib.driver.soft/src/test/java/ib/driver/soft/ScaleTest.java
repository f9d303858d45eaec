package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.NodeType;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.Node;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Issue 5, 2: 200 adapters and 8 switches come up")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScaleTest {
  private static final int ADAPTERS = 200;
  private static final int SPINES = 2;
  private static final int LEAVES = 6;

  @TempDir Path dir;

  static List<Node> tree() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < SPINES + LEAVES; i++) {
      nodes.add(new Node(NodeType.SWITCH, 0x0200_0000_0000_0000L + i, 36, "switch" + i));
    }
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      for (int spine = 0; spine < SPINES; spine++) {
        nodes.get(SPINES + leaf).port(36 - spine).cable(nodes.get(spine).port(leaf + 1));
      }
    }
    for (int i = 0; i < ADAPTERS; i++) {
      Node node = new Node(NodeType.CA, 0x0300_0000_0000_0000L + 0x100L * i, 1, "node" + i);
      Node leaf = nodes.get(SPINES + i % LEAVES);
      node.port(1).cable(leaf.port(1 + i / LEAVES));
      nodes.add(node);
    }
    return nodes;
  }

  @Test
  @DisplayName("built-in and OpenSM: all ports ACTIVE; the figures are reported, not judged")
  void comesUp(TestReporter reporter) throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    Fabric fabric = BuiltinSm.newFabric();
    long begin = System.nanoTime();
    Subnet subnet = fabric.describe("scale", tree());
    List<FabricPort> ports = new ArrayList<>();
    for (int i = 0; i < ADAPTERS; i++) {
      ports.addAll(fabric.plug("node" + i, 0x0300_0000_0000_0000L + 0x100L * i, 1, "-"));
    }
    ports.forEach(FabricPort::plugCable);
    reporter.publishEntry("built-in, ms", "" + (System.nanoTime() - begin) / 1_000_000);
    assertTrue(managed(ports, 0xC00, 0xBFFF), "managed by the built-in one");
    int port = Opensm.freePort();
    List<String> errors = new CopyOnWriteArrayList<>();
    try (IbsimDoor door = new IbsimDoor(fabric, port, errors::add)) {
      begin = System.nanoTime();
      try (Opensm sm = Opensm.start(port, "node0", dir)) {
        sm.awaitUp();
        long up = System.nanoTime();
        OpensmTest.await("all managed by it", () -> managed(ports, 1, 0xBFF));
        reporter.publishEntry("OpenSM from process start, ms", "" + (up - begin) / 1_000_000);
        reporter.publishEntry(
            "of that the door's thread, ms CPU", "" + cpu("ib-ibsim-") / 1_000_000);
        assertEquals(List.of("node0"), door.clients());
      }
    }
    assertEquals(List.of(), errors);
    ports.forEach(FabricPort::close);
    fabric.forget(subnet);
  }

  private static boolean managed(List<FabricPort> ports, int smFirst, int smLast) {
    return ports.stream()
        .map(FabricPort::place)
        .allMatch(
            p -> {
              int sm = PortInfo.SM_LID.in(p.info());
              return p.state() == PortState.ACTIVE && sm >= smFirst && sm <= smLast;
            });
  }

  private static long cpu(String name) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith(name))
        .mapToLong(t -> threads.getThreadCpuTime(t.threadId()))
        .sum();
  }
}
