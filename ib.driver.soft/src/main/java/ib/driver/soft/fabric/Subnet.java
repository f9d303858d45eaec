package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.sma.Agents;
import ib.driver.soft.sma.Links;
import ib.driver.soft.sma.Sma;
import ib.driver.soft.sma.Surroundings;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A subnet: its nodes, and the agents, links, routes and subnet manager of these nodes. The monitor
 * of the {@link Fabric} guards the subnet.
 */
public final class Subnet implements Surroundings {
  private final Fabric fabric;
  private final String name;
  private final SubnetNodes nodes = new SubnetNodes();
  private final Links links = new Links(this);
  private final Sma sma = new Sma(links, this);
  private final Agents agents = new Agents(sma);
  private final Carrier carrier = new Carrier(this, agents);
  private final Router router = new Router(this);
  private final Changes changes = new Changes();
  final Traps traps = new Traps(this);
  private final Mail mail = new Mail();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final ResidentSm manager;
  private final List<NodePort> foreignManagers = new ArrayList<>();
  private long switchLinks;

  Subnet(Fabric fabric, String name, Function<Subnet, ResidentSm> maker) {
    this.fabric = fabric;
    this.name = name;
    this.manager = maker.apply(this);
  }

  /** {@return the name of the subnet, which is that of its first switch} */
  public String name() {
    return name;
  }

  /** {@return the fabric, whose monitor guards the subnet} */
  public Fabric fabric() {
    return fabric;
  }

  /** {@return all nodes in the order of their arrival} */
  public List<Node> nodes() {
    return nodes.all();
  }

  /** {@return the agents of all nodes} */
  public Agents agents() {
    return agents;
  }

  /** {@return the state machines of all links} */
  public Links links() {
    return links;
  }

  /** {@return the built-in subnet manager} */
  public ResidentSm manager() {
    return manager;
  }

  /** {@return the ports that have an adapter} */
  Collection<FabricPort> ends() {
    return nodes.ends();
  }

  /**
   * Returns the adapter's side of a port.
   *
   * @param port any port
   * @return the adapter's side, or null without an adapter
   */
  @Nullable FabricPort end(NodePort port) {
    return nodes.end(port);
  }

  /** {@return the destinations of packets that arrive at a switch} */
  ForwardingTable table(Node node) {
    return nodes.table(node);
  }

  /**
   * Adds a node, and leaves the cables of the node as they are.
   *
   * @param node the node
   */
  public void add(Node node) {
    nodes.add(node);
    if (node.isSwitch()) {
      switchLinks++;
      changes.everything();
    }
  }

  /** Adds a node of a topology, which stays also while no device is plugged into it. */
  void describe(Node node) {
    nodes.keep(node);
    add(node);
  }

  void add(FabricPort end) {
    nodes.add(end); // no route leads there before its link comes up
  }

  void remove(FabricPort end) {
    manager.forget(end.place());
    nodes.remove(end);
    settle();
  }

  /**
   * Returns the node of a name.
   *
   * @param text description, or GUID as 16 hex digits, also after H-, S- or R-
   * @return the node, or null
   */
  public @Nullable Node node(String text) {
    return nodes.node(text);
  }

  // ---- datagrams ----

  /**
   * Adds software that takes datagrams at a port.
   *
   * @param port an adapter's port, or port 0 of a switch
   * @param consumer the software
   */
  public void add(NodePort port, MadConsumer consumer) {
    carrier.add(port, consumer);
  }

  /**
   * Removes software that takes datagrams at a port.
   *
   * @param port the port at which the software was added
   * @param consumer the software
   */
  public void remove(NodePort port, MadConsumer consumer) {
    carrier.remove(port, consumer);
  }

  /**
   * Queues a datagram that {@link #carry} sends.
   *
   * @param from the port by which the datagram leaves; port 0 of a switch
   * @param d the datagram; one on a directed route is already at its first hop
   */
  public void send(NodePort from, Datagram d) {
    later.add(() -> carrier.launch(from, d));
  }

  /** Queues a datagram that an adapter has sent. */
  void sent(NodePort from, Datagram d) {
    carrier.sent(from, d);
  }

  /**
   * Handles a datagram at its destination.
   *
   * @param at the port
   * @param d the datagram
   * @return false when the datagram is for the adapter's software
   */
  public boolean arrived(NodePort at, Datagram d) {
    boolean represses =
        Smp.METHOD.in(d.mad) == Traps.REPRESS && Smp.MGMT_CLASS.in(d.mad) == Smp.CLASS_LID;
    if (represses && traps.repress(Smp.TRANSACTION_ID.of(d.mad))) {
      return true;
    }
    return carrier.arrived(at, d) || represses; // the rest is for software, or came too late
  }

  /**
   * Offers a datagram that an adapter has sent to its own port to a subnet manager at that port
   * which is a client of the ibsim server. The manager's response comes by the wire.
   *
   * @param at the port
   * @param d the datagram, which belongs to the manager if this method returns true
   * @return whether the manager has taken the datagram
   */
  public boolean offer(NodePort at, Datagram d) {
    synchronized (fabric) {
      return carrier.taken(at, at.node().managed(at), d);
    }
  }

  /** Returns the response of an agent to its own node; the changes of the agent are in effect. */
  @Nullable MemorySegment answer(NodePort at, MemorySegment mad, int slid) {
    MemorySegment answer = agents.answer(at, mad, slid);
    settle();
    return answer;
  }

  /**
   * Carries the queued datagrams until none is left. An exception of one datagram is an incident,
   * and affects neither the other datagrams nor the caller.
   */
  public void carry() {
    boolean any = true;
    while (any) {
      any = false;
      try {
        for (Runnable next = later.poll(); next != null; next = later.poll()) {
          fabric.incidents().outlive(next);
          any = true;
        }
        any |= mail.carry(fabric.incidents());
      } finally {
        fabric.run.finish(); // releases the queue pairs that this thread has claimed meanwhile
      }
    }
    settle();
  }

  // ---- changes ----

  @Override
  public void moved(NodePort port) {
    NodePort peer = port.peer();
    if (peer != null && port.node().isSwitch() && peer.node().isSwitch()) {
      switchLinks++;
    }
    changes.moved(port);
  }

  /** {@return how often switches, or links between them, have come or gone} */
  public long switchLinks() {
    return switchLinks;
  }

  @Override
  public void forwards(int first, int count) {
    changes.forwards(first, count);
  }

  @Override
  public void rekeyed(NodePort port) {
    changes.rekeyed(port);
  }

  @Override
  public void trap(NodePort from, Trap trap) {
    if (from.lid() != 0 && PortInfo.SM_LID.in(from.info()) != 0) {
      traps.send(from, trap);
    }
  }

  /** Queues a port that has datagrams, for a thread that holds the lock. Any context. */
  void left(FabricPort at) {
    mail.left(at);
    fabric.wake();
  }

  /** Applies the changes to the tables by which packets are routed. */
  public void settle() {
    if (changes.settle(this, router)) {
      fabric.changed();
    }
  }

  /** Follows the link of an adapter's port that has come up or gone down. */
  void relinked(NodePort port) {
    manager.linked(port);
    settle();
    carry();
  }

  /** Follows links that have come up or gone down. */
  void relinked() {
    manager.sweep();
    settle();
    carry();
  }

  /**
   * Follows another subnet manager that comes or goes.
   *
   * @param port the port at which the manager runs
   * @param comes whether the manager comes
   */
  public void foreignManager(NodePort port, boolean comes) {
    if (comes) {
      foreignManagers.add(port);
    } else {
      foreignManagers.remove(port);
    }
    port.managesSubnet(foreignManagers.contains(port));
    trap(port, Trap.capabilities(port, false));
    manager.yield();
    settle();
  }

  /** {@return the ports of the subnet managers that are clients of the ibsim server} */
  public List<NodePort> foreignManagers() {
    return Collections.unmodifiableList(foreignManagers);
  }

  /** Has the built-in subnet manager report its new priority to the master. */
  void prioritized() {
    manager.yield();
    settle();
    carry();
  }

  /** Joins or leaves a group for a port, without the subnet administrator. */
  void join(NodePort port, Gid group, int mlid, boolean joins) {
    if (mlid < Node.MULTICAST_FIRST || mlid >= Node.MULTICAST_FIRST + Node.MULTICAST_CAP) {
      throw new IbInvalidException(
          name, String.format("0x%04x is not a multicast LID", mlid), "0xc000 to 0xfffe");
    }
    manager.attached(port, group, mlid, joins);
    settle();
  }

  /**
   * Writes an attribute, as an SMP would do.
   *
   * @param at the port to which the SMP would be sent
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @param data 64 bytes
   * @return the status of the response, 0 when the attribute was written
   */
  public int set(NodePort at, SmpAttribute attribute, int modifier, MemorySegment data) {
    return sma.set(at, attribute, modifier, data);
  }

  @Override
  public String toString() {
    return name;
  }
}
