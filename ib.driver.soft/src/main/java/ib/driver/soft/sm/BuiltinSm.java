package ib.driver.soft.sm;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import ib.core.verbs.Gid;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.ResidentSm;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The built-in subnet manager. It reads the subnet without SMPs and writes its decisions through
 * the agents that SMPs reach, so that a port is ACTIVE as soon as its cable is connected. {@link
 * Negotiation} decides whether this manager is the master; when it becomes the master again, it
 * requests all clients to register again.
 */
public final class BuiltinSm implements ResidentSm {
  private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;
  private static final long STRANGERS_NS =
      10_000_000_000L; // the time that ports have to register again

  private final Subnet subnet;
  private final Routes routes;
  private final Trees trees;
  private final LidPool lids;
  private final Administrator administrator;
  final Negotiation negotiation;
  private final Partitions partitions;
  private final Seat seat;
  private boolean away;
  private int announced; // priority
  private long strangersUntilNs = Long.MAX_VALUE; // no end: there are no strangers

  /** {@return an empty fabric; each of its subnets is managed by a built-in subnet manager} */
  public static Fabric newFabric() {
    return new Fabric(BuiltinSm::new);
  }

  /**
   * Makes the manager of a subnet.
   *
   * @param subnet the subnet
   */
  public BuiltinSm(Subnet subnet) {
    this.subnet = subnet;
    this.partitions = new Partitions(subnet);
    this.lids = new LidPool(subnet.name());
    this.announced = subnet.fabric().smPriority();
    this.negotiation = new Negotiation(subnet, this);
    this.administrator = new Administrator(subnet, this, negotiation);
    this.seat = new Seat(subnet, administrator);
    Tables tables = new Tables(subnet);
    this.routes = new Routes(subnet, tables, lids);
    this.trees = new Trees(tables, routes, administrator);
  }

  /** {@return the port at which this manager runs, null while it does not run} */
  @Nullable NodePort seat() {
    return seat.port();
  }

  @Override
  public void sweep() {
    sit();
    NodePort sm = seat.port();
    if (sm == null || !negotiation.masters()) {
      return;
    }
    int smLid = lids.lid(sm);
    List<NodePort> endpoints = endpoints();
    for (NodePort port : endpoints) {
      identify(port, lids.lid(port), smLid);
    }
    routes.forget();
    routes.write(endpoints);
    trees.write(strangers());
    activate();
    routes.paths(); // links between switches have come up: the next port then needs no sweep
    if (away) {
      away = false;
      administrator.onMasterAgain();
    }
    administrator.onSweep();
  }

  @Override
  public void linked(NodePort port) {
    NodePort sm = seat.port();
    NodePort leaf = port.peer();
    if (sm == null || leaf == null || !isOnlyChange(sm, port, leaf)) {
      sweep();
      return;
    }
    if (port.linked()) {
      identify(port, lids.lid(port), lids.lid(sm));
    }
    routes.write(port);
    trees.write(trees.of(port), strangers());
    rise(List.of(leaf, port));
    administrator.onSweep(port);
  }

  /** Returns whether the path to an adapter's port is the only change since the last sweep. */
  private boolean isOnlyChange(NodePort sm, NodePort port, NodePort leaf) {
    return sm != port
        && !away
        && leaf.node().isSwitch()
        && !port.node().isSwitch()
        && routes.current()
        && negotiation.masters();
  }

  /**
   * Handles links of a switch that came up or went down without this manager: sets ports in INIT to
   * ACTIVE, and routes around links that are down.
   *
   * @param lid of the switch
   */
  void changed(int lid) {
    if (!routes.current()) {
      sweep();
      return;
    }
    for (Node node : routes.switches()) {
      NodePort zero = node.port(0);
      for (NodePort leaf : zero != null && zero.has(lid) ? node.ports() : List.<NodePort>of()) {
        NodePort end = leaf.peer();
        int routed = end == null ? 0 : lids.given(end);
        boolean waits = leaf.linked() && leaf.state() != PortState.ACTIVE;
        boolean gone = !leaf.linked() && routed != 0 && node.linear(routed) != Node.NO_PORT;
        if (end != null && (waits || gone)) {
          linked(end);
        }
      }
    }
  }

  private void sit() {
    if (seat.take()) {
      negotiation.changed();
    }
  }

  /** Ports with a LID: port 0 of switches, and adapters' ports whose link is up. */
  List<NodePort> endpoints() {
    List<NodePort> all = new ArrayList<>();
    for (Node node : subnet.nodes()) {
      NodePort zero = node.port(0);
      if (zero != null) {
        all.add(zero);
      } else {
        node.ports().stream().filter(NodePort::linked).forEach(all::add);
      }
    }
    return all;
  }

  private void identify(NodePort port, int lid, int smLid) {
    MemorySegment info = port.info();
    NodePort peer = port.peer();
    int mtu = PortInfo.MTU_CAP.in(info);
    int lanes = PortInfo.VL_CAP.in(info);
    if (peer != null) {
      mtu = Math.min(mtu, PortInfo.MTU_CAP.in(peer.info()));
    }
    boolean same =
        port.lid() == lid
            && port.lmc() == 0
            && PortInfo.SM_LID.in(info) == smLid
            && PortInfo.NEIGHBOR_MTU.in(info) == mtu
            && !away;
    if (!same) {
      MemorySegment data = unchanged(port);
      PortInfo.GID_PREFIX.set(data, LINK_LOCAL);
      PortInfo.LID.set(data, lid);
      PortInfo.LMC.set(data, 0);
      PortInfo.SM_LID.set(data, smLid);
      PortInfo.SM_SL.set(data, 0);
      PortInfo.NEIGHBOR_MTU.set(data, mtu);
      PortInfo.OPERATIONAL_VLS.set(data, lanes);
      PortInfo.CLIENT_REREGISTER.set(data, away ? 1 : 0);
      subnet.set(port, SmpAttribute.PORT_INFO, port.number(), data);
    }
    if (peer != null && PortInfo.NEIGHBOR_MTU.in(peer.info()) != mtu) {
      MemorySegment data = unchanged(peer);
      PortInfo.NEIGHBOR_MTU.set(data, mtu);
      subnet.set(peer, SmpAttribute.PORT_INFO, peer.number(), data);
    }
  }

  /** {@return a PortInfo whose Set changes nothing} */
  static MemorySegment unchanged(NodePort port) {
    MemorySegment data = MemorySegment.ofArray(new byte[64]).copyFrom(port.info());
    PortInfo.PORT_STATE.set(data, 0);
    PortInfo.PORT_PHYS_STATE.set(data, 0);
    PortInfo.CLIENT_REREGISTER.set(data, 0);
    return data;
  }

  /** Sets links in INIT to ACTIVE, the adapter's end last, because the adapter sends at once. */
  private void activate() {
    List<NodePort> rising = new ArrayList<>();
    for (Node node : subnet.nodes()) {
      for (NodePort port : node.ports()) {
        if (port.linked()
            && port.state().value() >= PortState.INIT.value()
            && port.state() != PortState.ACTIVE) {
          rising.add(node.isSwitch() ? 0 : rising.size(), port);
        }
      }
    }
    rise(rising);
  }

  private void rise(List<NodePort> rising) {
    for (PortState state : Arrays.asList(PortState.ARMED, PortState.ACTIVE)) {
      for (NodePort port : rising) {
        if (port.linked() && port.state().value() < state.value()) {
          MemorySegment data = unchanged(port);
          PortInfo.PORT_STATE.set(data, state.value());
          subnet.set(port, SmpAttribute.PORT_INFO, port.number(), data);
        }
      }
      subnet.settle();
    }
  }

  // ---- groups ----

  /** Writes the tree of a group whose members have changed. */
  void group(int mlid) {
    if (negotiation.masters() && seat.port() != null && !routes.current()) {
      sweep();
      subnet.settle();
    } else if (negotiation.masters() && seat.port() != null) {
      trees.write(Set.of(mlid), strangers());
      subnet.settle();
    }
  }

  private List<NodePort> strangers() {
    return strangersUntilNs == Long.MAX_VALUE ? List.of() : endpoints();
  }

  /** {@return how many multicast LIDs all switches can forward} */
  int groupsMost() {
    return subnet.nodes().stream()
        .filter(Node::isSwitch)
        .mapToInt(n -> SwitchInfo.MULTICAST_FDB_CAP.in(n.switchInfo()))
        .min()
        .orElse(Node.MULTICAST_CAP);
  }

  /** {@return whether software uses a multicast LID that it has not requested} */
  boolean attachedTo(int mlid) {
    return trees.attachedTo(mlid);
  }

  /** {@return the multicast LID that most ports have for a group, 0 when no port receives it} */
  int attachedBy(Gid group) {
    return trees.attachedBy(group);
  }

  @Override
  public void attached(NodePort port, Gid group, int mlid, boolean joins) {
    trees.attach(port, group, mlid, joins);
    group(mlid);
  }

  // ---- ports ----

  @Override
  public int lid(NodePort port) {
    return lids.lid(port);
  }

  @Override
  public void pkeys(NodePort port, int[] table) {
    partitions.configure(port, table);
    if (negotiation.masters()) {
      partitions.write(port);
    }
  }

  @Override
  public void forget(NodePort port) {
    lids.forget(port);
    partitions.forget(port);
    trees.forget(port);
    administrator.forget(port);
    if (port == seat.port()) {
      seat.leave();
    }
  }

  @Override
  public void yield() {
    sit();
    NodePort at = seat.port();
    int priority = subnet.fabric().smPriority();
    if (at != null && priority != announced) {
      subnet.trap(at, Trap.priority(at));
    }
    announced = priority;
    negotiation.changed();
  }

  /** Gives way to another master. */
  void onStandby() {
    away = true;
  }

  /**
   * Becomes the master. The ports keep the LIDs and tables of the previous master. Only the
   * previous master knew which ports send to a group without being a member; until these ports have
   * registered again, every group can be reached from every port.
   */
  void onMaster() {
    away = true;
    strangersUntilNs = System.nanoTime() + STRANGERS_NS;
    lids.clear();
    partitions.writeAll();
    sweep();
  }

  @Override
  public long dueNs() {
    return Math.min(strangersUntilNs, Math.min(administrator.dueNs(), negotiation.dueNs()));
  }

  @Override
  public void tick() {
    if (strangersUntilNs - System.nanoTime() <= 0) {
      strangersUntilNs = Long.MAX_VALUE;
      if (negotiation.masters() && seat.port() != null) {
        sweep();
        subnet.settle();
      }
    }
    administrator.tick();
    negotiation.tick();
  }
}
