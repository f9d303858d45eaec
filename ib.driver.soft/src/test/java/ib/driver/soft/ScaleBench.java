package ib.driver.soft;

import ib.core.verbs.NodeType;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;

/** How long 200 adapters and 8 switches take: built-in, and by OpenSM. Not a test. */
final class ScaleBench {
  private static final int ADAPTERS = 200;
  private static final int SPINES = 2;
  private static final int LEAVES = 6;

  private ScaleBench() {}

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

  /**
   * Runs it.
   *
   * @param args none
   */
  public static void main(String[] args) throws Exception {
    Logger log = Logger.getLogger("scale");
    Fabric fabric = new Fabric();
    long begin = System.nanoTime();
    Subnet subnet = fabric.describe("scale", tree());
    List<FabricPort> ports = new ArrayList<>();
    for (int i = 0; i < ADAPTERS; i++) {
      ports.addAll(fabric.plug("node" + i, 0x0300_0000_0000_0000L + 0x100L * i, 1, "-"));
    }
    ports.forEach(FabricPort::plugCable);
    boolean all = ports.stream().allMatch(p -> p.place().state() == PortState.ACTIVE);
    log.info("built-in: " + all + " " + (System.nanoTime() - begin) / 1_000_000 + " ms");
    int port = Opensm.freePort();
    Path dir = Files.createTempDirectory(Path.of("target"), "scale");
    try (IbsimDoor door = new IbsimDoor(fabric, port, (text, why) -> log.warning(text))) {
      begin = System.nanoTime();
      try (Opensm sm = Opensm.start(port, "node0", dir.toAbsolutePath())) {
        sm.awaitUp();
        log.info("OpenSM: " + (System.nanoTime() - begin) / 1_000_000 + " ms " + door.clients());
      }
    }
    ports.forEach(FabricPort::close);
    fabric.forget(subnet);
  }
}
