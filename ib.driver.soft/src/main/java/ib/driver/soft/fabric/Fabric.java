package ib.driver.soft.fabric;

import ib.core.client.Incidents;
import ib.core.verbs.IbAgainException;
import ib.driver.base.Guids;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import ib.engine.run.RunList;
import ib.engine.wire.Epoch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All subnets of one driver bundle. The first adapter that names a switch which no topology
 * describes makes that switch, in a new subnet. The switch has 36 ports and goes with the last
 * adapter; when it is full, the fabric connects another switch to it. The monitor of the fabric is
 * the lock of all subnets and nodes. The data path takes no lock.
 */
public final class Fabric {
  private static final int RUN_BYTES = 1 << 20;
  private static final long AGAIN_NS = 100_000_000L; // pause after a failure

  private final Logger log = LoggerFactory.getLogger(Fabric.class);
  private final AtomicInteger watchers = new AtomicInteger();

  /** The count of its changes, and of those of the ports on it. */
  final Epoch epoch = new Epoch();

  private final AtomicLong opened = new AtomicLong();
  private final Function<Subnet, ResidentSm> managers;
  final RunList run = new RunList(RUN_BYTES); // guarded by this
  private final Placement placement = new Placement(this::begin); // guarded by this
  private final Incidents incidents = new Incidents("soft fabric", log::warn);
  private volatile Runnable listener = () -> {};
  private volatile @Nullable String refusal; // null while adapters have places
  private final ManagementThread thread = new ManagementThread(this);
  private int smPriority; // guarded by this
  private long smKey = 1; // guarded by this; OpenSM's default

  /**
   * Makes an empty fabric.
   *
   * @param managers makes the subnet manager of a new subnet
   */
  public Fabric(Function<Subnet, ResidentSm> managers) {
    this.managers = managers;
  }

  /**
   * Adds an adapter, whose cables are not connected yet. When a described subnet has a free adapter
   * of this GUID, or else of this description, the new adapter takes that place, with the GUIDs of
   * the description. Otherwise this method assigns each of its ports to a port of a switch.
   *
   * @param description description of the adapter, for example its device's name
   * @param guid node GUID of the adapter
   * @param ports how many ports the adapter has
   * @param switchName the switch to which an adapter belongs that no topology describes
   * @return the ports of the adapter; the caller closes each of them
   */
  public List<FabricPort> plug(String description, long guid, int ports, String switchName) {
    String why = refusal;
    if (why != null) {
      throw new IbAgainException("the fabric", why, "");
    }
    synchronized (this) {
      thread.start();
      Placement.Place place = placement.place(description, guid, ports, switchName);
      List<FabricPort> ends = new ArrayList<>();
      for (NodePort port : place.node().ports().subList(0, ports)) {
        FabricPort end = new FabricPort(this, place.subnet(), port);
        place.subnet().add(end);
        ends.add(end);
      }
      return ends;
    }
  }

  /**
   * Tells whether {@link #plug} would give an adapter another place now, because a subnet was
   * described or forgotten after the adapter was plugged in.
   *
   * @param description the description that was given to {@link #plug}
   * @param guid the node GUID that was given to {@link #plug}
   * @param switchName the name of the switch that was given to {@link #plug}
   * @param ends the ports that {@link #plug} returned
   * @return whether the place would be another one
   */
  public synchronized boolean misplaced(
      String description, long guid, String switchName, List<FabricPort> ends) {
    return refusal != null || placement.misplaced(description, guid, switchName, ends);
  }

  /**
   * Gives no adapter a place from now on, because what describes the fabric is wrong: an adapter
   * would come up elsewhere than was said.
   *
   * @param why the reason; null to give places again
   */
  public void refuse(@Nullable String why) {
    refusal = why;
    listener.run();
  }

  /**
   * Sets the task that runs, without the lock, after a topology was described, forgotten or
   * refused.
   *
   * @param whom the task, which looks for {@link #misplaced} adapters
   */
  public void rearranged(Runnable whom) {
    listener = whom;
  }

  /**
   * Adds an adapter that has one port and no name; its cable is not connected yet.
   *
   * @param switchName the switch to which the adapter belongs
   * @return the port of the adapter; the caller closes the port
   */
  public FabricPort open(String switchName) {
    long guid = Guids.ofName(switchName + " " + opened.incrementAndGet());
    return plug(String.format("%016x", guid), guid, 1, switchName).getFirst();
  }

  /**
   * Adds a described subnet. The links between its switches come up.
   *
   * @param name name of the subnet
   * @param nodes the switches and adapters, with their cables
   * @return the subnet, until {@link #forget}
   */
  public Subnet describe(String name, List<Node> nodes) {
    Subnet subnet;
    synchronized (this) {
      subnet = added(name, nodes);
    }
    listener.run();
    return subnet;
  }

  private Subnet begin(String name) {
    return new Subnet(this, name, managers);
  }

  private Subnet added(String name, List<Node> nodes) {
    thread.start();
    Subnet subnet = begin(name);
    nodes.forEach(subnet::describe);
    placement.describe(subnet, nodes);
    for (Node node : nodes) {
      for (NodePort port : node.ports()) {
        NodePort peer = port.peer();
        if (node.isSwitch() && peer != null && peer.node().isSwitch()) {
          subnet.links().up(port);
        }
      }
    }
    subnet.relinked();
    return subnet;
  }

  /**
   * Removes a described subnet. Adapters that are plugged into the subnet lose their links.
   *
   * @param subnet the subnet to remove
   */
  public void forget(Subnet subnet) {
    synchronized (this) {
      placement.forgetDescription(subnet);
      List.copyOf(subnet.ends()).forEach(FabricPort::pullCable);
      placement.forget(subnet);
    }
    listener.run();
    endWhenEmpty();
  }

  /** {@return the subnets, each once} */
  public synchronized Set<Subnet> subnets() {
    return placement.subnets();
  }

  /**
   * Sets the priority of the built-in subnet managers, which report it to the master.
   *
   * @param priority 0 to 15; with 0 a built-in manager gives way to any other one
   */
  public synchronized void smPriority(int priority) {
    if (priority != smPriority) {
      smPriority = priority;
      subnets().forEach(Subnet::prioritized);
    }
  }

  /** {@return the priority of the built-in subnet managers} */
  public synchronized int smPriority() {
    return smPriority;
  }

  /**
   * Sets the SM_Key of the built-in subnet managers, which ignore an SMInfo that has another key.
   *
   * @param key the SM_Key, 64 bits
   */
  public synchronized void smKey(long key) {
    if (key != smKey) {
      smKey = key;
      subnets().forEach(Subnet::prioritized);
    }
  }

  /** {@return the SM_Key of the built-in subnet managers} */
  public synchronized long smKey() {
    return smKey;
  }

  /** {@return how many switches there are by name} */
  public synchronized int size() {
    return placement.size();
  }

  void closed(FabricPort end) {
    synchronized (this) {
      Subnet subnet = end.subnet();
      subnet.remove(end);
      if (subnet.ends().isEmpty() && !placement.isDescribed(subnet)) {
        placement.forget(subnet);
      }
    }
    endWhenEmpty();
  }

  private void endWhenEmpty() {
    Thread ended;
    synchronized (this) {
      ended = subnets().isEmpty() ? thread.stop() : null;
    }
    ManagementThread.join(ended);
  }

  /**
   * Counts the captures and fault rules that watch the packets of a port. While there is one, the
   * whole fabric uses real packets and no direct path.
   *
   * @param begins true when a capture or a rule begins to watch, false when it ends
   */
  public void watch(boolean begins) {
    watchers.getAndAdd(begins ? 1 : -1);
    changed();
  }

  /** Counts a change of the path to a port, or of the need for packets. */
  void changed() {
    epoch.changed();
  }

  /** {@return whether a capture or a fault rule looks at packets now} */
  boolean watched() {
    return watchers.get() > 0;
  }

  /** Wakes the fabric's thread for a datagram or for a new due time. Any context may call. */
  public void wake() {
    thread.wake();
  }

  /** Carries queued datagrams and does what is due; {@return when the next work is due} */
  synchronized long work() {
    long next = Long.MAX_VALUE;
    for (Subnet subnet : subnets()) {
      boolean good = incidents.outlive(() -> tick(subnet));
      subnet.carry();
      long due = Math.min(subnet.traps.dueNs(), subnet.manager().dueNs());
      next = Math.min(next, good ? due : Math.max(due, System.nanoTime() + AGAIN_NS));
    }
    return next;
  }

  private static void tick(Subnet subnet) {
    long now = System.nanoTime();
    subnet.traps.tick(now);
    if (subnet.manager().dueNs() - now <= 0) {
      subnet.manager().tick();
    }
  }

  /**
   * {@return the log of what the fabric has refused, and of exceptions that the fabric outlived}
   */
  public Incidents incidents() {
    return incidents;
  }

  /**
   * Finds the subnet of a node.
   *
   * @param name description or GUID of a node, or empty for any adapter
   * @return the node's subnet, or null
   */
  public synchronized @Nullable Subnet subnetOf(String name) {
    for (Subnet s : subnets()) {
      if (name.isEmpty() ? !s.ends().isEmpty() : s.node(name) != null) {
        return s;
      }
    }
    return null;
  }
}
