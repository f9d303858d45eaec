package ib.driver.soft.sm;

import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.util.Map;
import java.util.Set;

/** Stub. */
final class Administrator implements MadConsumer {
  Administrator(Subnet subnet, BuiltinManager manager) {}
  void returned() {}
  void swept() {}
  Map<Integer, Set<NodePort>> members() { return Map.of(); }
  void forget(NodePort port) {}
  long dueNs() { return Long.MAX_VALUE; }
  void tick() {}
  @Override public boolean take(NodePort at, Datagram d) { return false; }
}
