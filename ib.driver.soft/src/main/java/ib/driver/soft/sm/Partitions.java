package ib.driver.soft.sm;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The partitions of the built-in subnet manager. An adapter has the P_Keys of its configuration,
 * and switches do not enforce partitions.
 */
final class Partitions {
  private static final int PER_BLOCK = 32;
  private static final int[] SWITCH_TABLE = Arrays.copyOf(new int[] {0xffff}, NodePort.PKEYS);

  private final Subnet subnet;
  private final Map<NodePort, int[]> configured = new HashMap<>();

  Partitions(Subnet subnet) {
    this.subnet = subnet;
  }

  /** Sets the P_Keys that a port has by its configuration. */
  void configure(NodePort port, int[] table) {
    configured.put(port, Arrays.copyOf(table, NodePort.PKEYS));
  }

  void forget(NodePort port) {
    configured.remove(port);
  }

  /** Writes the P_Key table of an adapter's port. */
  void write(NodePort port) {
    int[] table = configured.get(port);
    if (table != null) {
      write(port, port, 0, table);
    }
  }

  /**
   * Writes the P_Key tables of all ports, and ends the enforcement that another subnet manager has
   * set up at switches, which would drop packets of newer partitions.
   */
  void writeAll() {
    configured.keySet().forEach(this::write);
    for (Node node : subnet.nodes()) {
      NodePort zero = node.port(0);
      if (zero != null) {
        node.ports().forEach(port -> open(zero, port));
      }
    }
  }

  private void open(NodePort zero, NodePort port) {
    MemorySegment data = BuiltinSm.unchanged(port);
    if (PortInfo.PARTITION_ENFORCEMENT_INBOUND.in(data) != 0
        || PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.in(data) != 0) {
      PortInfo.PARTITION_ENFORCEMENT_INBOUND.set(data, 0);
      PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.set(data, 0);
      subnet.set(zero, SmpAttribute.PORT_INFO, port.number(), data);
    }
    write(zero, port, port.number() << 16, SWITCH_TABLE);
  }

  private void write(NodePort at, NodePort port, int modifier, int[] table) {
    for (int from = 0; from < NodePort.PKEYS; from += PER_BLOCK) {
      MemorySegment data = MemorySegment.ofArray(new byte[64]);
      boolean differs = false;
      for (int i = 0; i < PER_BLOCK; i++) {
        MadField.write(data, i * 16, 16, table[from + i]);
        differs |= table[from + i] != port.pkeys()[from + i];
      }
      if (differs) {
        subnet.set(at, SmpAttribute.PKEY_TABLE, modifier | from / PER_BLOCK, data);
      }
    }
  }
}
