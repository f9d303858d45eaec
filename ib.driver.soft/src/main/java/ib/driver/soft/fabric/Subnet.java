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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One subnet: its nodes, and what belongs to all of them. Everything is under the lock of its
 * {@link Fabric}, the monitor of that object.
 */
public final class Subnet implements Surroundings {
  private static final Pattern GUID = Pattern.compile("(?:[HSR]-)?([0-9a-f]{16})");

  private final Fabric fabric;
  private final String name;
  private final List<Node> nodes = new ArrayList<>();
  private final Set<Node> fixed = new HashSet<>();
  private final Map<Node, ForwardingTable> tables = new HashMap<>();
  private final Map<NodePort, FabricPort> ends = new LinkedHashMap<>();
  private final Links links = new Links(this);
  private final Sma sma = new Sma(links, this);
  private final Agents agents = new Agents(sma);
  private final Carrier carrier = new Carrier(this, agents);
  private final Router router = new Router(this);
  private final Changes changes = new Changes();
  private final Traps traps = new Traps(this);
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

  /** {@return its name, that of its first switch} */
  public String name() {
    return name;
  }

  /** {@return the fabric, whose monitor is the lock} */
  public Fabric fabric() {
    return fabric;
  }

  /** {@return all nodes, switches first among equals in age} */
  public List<Node> nodes() {
    return Collections.unmodifiableList(nodes);
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

  /** {@return the ports that software is behind} */
  Collection<FabricPort> ends() {
    return ends.values();
  }

  /**
   * The software's end of a port.
   *
   * @param port any port
   * @return the end, or null
   */
  @Nullable FabricPort end(NodePort port) {
    return ends.get(port);
  }

  /** {@return where packets go that arrive at a switch} */
  ForwardingTable table(Node node) {
    return tables.computeIfAbsent(node, k -> new ForwardingTable());
  }

  /**
   * Adds a node; its cables are its own affair.
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

  /** Adds a node that stays where it is while no device is behind it. */
  void describe(Node node) {
    fixed.add(node);
    add(node);
  }

  void add(FabricPort end) {
    ends.put(end.place(), end); // nothing leads there before its link comes up
  }

  void remove(FabricPort end) {
    NodePort place = end.place();
    manager.forget(place);
    ends.remove(place, end);
    place.adapter(null);
    if (fixed.contains(place.node())) {
      place.reset();
    } else if (place.node().ports().stream().noneMatch(ends::containsKey)) {
      nodes.remove(place.node());
    }
    if (!fixed.contains(place.node())) {
      place.cable(null);
    }
    settle();
  }

  /**
   * The node of a name.
   *
   * @param text description, or GUID as 16 hex digits, also after H-, S- or R-
   * @return the node, or null
   */
  public @Nullable Node node(String text) {
    Matcher hex = GUID.matcher(text);
    long guid = hex.matches() ? Long.parseUnsignedLong(hex.group(1), 16) : 0;
    for (Node n : nodes) {
      if (n.description().equals(text) || guid != 0 && n.guid() == guid) {
        return n;
      }
    }
    return null;
  }

  // ---- datagrams ----

  /**
   * Adds software at a port that takes datagrams.
   *
   * @param port an adapter's port, or port 0 of a switch
   * @param consumer the software
   */
  public void add(NodePort port, MadConsumer consumer) {
    carrier.add(port, consumer);
  }

  /**
   * Takes it away.
   *
   * @param port where it was added
   * @param consumer the software
   */
  public void remove(NodePort port, MadConsumer consumer) {
    carrier.remove(port, consumer);
  }

  /**
   * Sends a datagram from a port; it is on its way when {@link #carry} returns.
   *
   * @param from the port it leaves by; of a switch its port 0
   * @param d the datagram; on a directed route already at its first hop
   */
  public void send(NodePort from, Datagram d) {
    later.add(() -> carrier.launch(from, d));
  }

  /** A datagram has come out of an adapter. */
  void sent(NodePort from, Datagram d) {
    carrier.sent(from, d);
  }

  /**
   * A datagram has arrived where its way ends.
   *
   * @param at the port
   * @param d the datagram
   * @return whether it was taken; otherwise it is for the adapter's own software
   */
  public boolean arrived(NodePort at, Datagram d) {
    boolean represses =
        Smp.METHOD.in(d.mad) == Traps.REPRESS && Smp.MGMT_CLASS.in(d.mad) == Smp.CLASS_LID;
    if (represses && traps.repress(Smp.TRANSACTION_ID.of(d.mad))) {
      return true;
    }
    return carrier.arrived(at, d) || represses; // the rest is of software, or came too late
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

  /** An agent's answer to a datagram of the node itself; what it has changed is in effect. */
  @Nullable MemorySegment answer(NodePort at, MemorySegment mad, int slid) {
    MemorySegment answer = agents.answer(at, mad, slid);
    settle();
    return answer;
  }

  /**
   * Carries everything that is under way, until nothing is. A datagram that cannot be carried is an
   * incident, and concerns neither the others nor the caller.
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
        fabric.run().finish(); // gives back the queue pairs that were claimed on the way
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

  Traps traps() {
    return traps;
  }

  /** Applies the changes to the tables by which packets are routed. */
  public void settle() {
    if (changes.settle(this, router)) {
      fabric.changed();
    }
  }

  /** The link of an adapter's port has come or gone. */
  void relinked(NodePort port) {
    manager.linked(port);
    settle();
    carry();
  }

  /** Links have come or gone. */
  void relinked() {
    manager.sweep();
    settle();
    carry();
  }

  /**
   * Another subnet manager comes or goes.
   *
   * @param port where it runs
   * @param comes whether it comes
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

  /** {@return where the subnet managers are that are not the built-in one} */
  public List<NodePort> foreignManagers() {
    return Collections.unmodifiableList(foreignManagers);
  }

  /** The built-in subnet manager has a new priority, which it reports to the master. */
  void prioritized() {
    manager.yield();
    settle();
    carry();
  }

  /** Joins a group for a port, without the subnet administrator. */
  void join(NodePort port, Gid group, int mlid, boolean joins) {
    if (mlid < Node.MULTICAST_FIRST || mlid >= Node.MULTICAST_FIRST + Node.MULTICAST_CAP) {
      throw new IbInvalidException(
          name, String.format("0x%04x is not a multicast LID", mlid), "0xc000 to 0xfffe");
    }
    manager.attached(port, group, mlid, joins);
    settle();
  }

  /**
   * Writes an attribute, as an SMP would.
   *
   * @param at the port asked
   * @param attribute which
   * @param modifier its modifier
   * @param data 64 bytes
   * @return status, 0 when done
   */
  public int set(NodePort at, SmpAttribute attribute, int modifier, MemorySegment data) {
    return sma.set(at, attribute, modifier, data);
  }

  @Override
  public String toString() {
    return name;
  }
}
