package ib.driver.soft.fabric;

import ib.driver.soft.topology.NodePort;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** The changes by management that are not in effect yet. Guarded by the fabric's monitor. */
final class Changes {
  private boolean everything;
  private final BitSet lids = new BitSet();
  private final Set<NodePort> ports = new LinkedHashSet<>();

  /** Notes that nodes or cables have come or gone. */
  void everything() {
    everything = true;
  }

  /** Notes that switches forward some LIDs to other ports. */
  void forwards(int first, int count) {
    lids.set(first, first + count);
  }

  /** Notes that a port has another LID or another state. */
  void moved(NodePort port) {
    NodePort peer = port.peer();
    if (peer == null || port.node().isSwitch() == peer.node().isSwitch()) {
      everything |= peer != null; // a link between switches; or two adapters without one
      return;
    }
    NodePort leaf = port.node().isSwitch() ? port : peer;
    NodePort adapter = port.node().isSwitch() ? peer : port;
    if (adapter.lid() != 0) {
      forwards(adapter.lid(), 1 << adapter.lmc());
    }
    leaf.node()
        .multicast()
        .forEach(
            (mlid, members) -> {
              if (members.get(leaf.number())) {
                lids.set(mlid);
              }
            });
    ports.add(adapter);
  }

  /** Notes that the P_Key table, partition enforcement or error threshold of a port has changed. */
  void rekeyed(NodePort port) {
    NodePort peer = port.peer();
    ports.add(port);
    if (peer != null) {
      ports.add(peer);
    }
  }

  /**
   * Brings the changes into effect for packets.
   *
   * @return whether there was a change
   */
  boolean settle(Subnet subnet, Router router) {
    if (!everything && lids.isEmpty() && ports.isEmpty()) {
      return false;
    }
    if (everything) {
      router.rebuild();
      subnet.ends().forEach(FabricPort::settle);
    } else {
      for (NodePort port : ports) {
        FabricPort end = subnet.end(port);
        if (end != null) {
          end.settle();
        }
      }
      router.update(lids);
    }
    everything = false;
    lids.clear();
    ports.clear();
    return true;
  }
}
