package ib.driver.soft.fabric;

import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.driver.soft.sma.Agents;
import ib.driver.soft.sma.Sma;
import ib.driver.soft.sma.Trap;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.NodePort;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The end of a cable at an adapter's port. Its {@link Delivery} carries the packets that the
 * adapter sends.
 *
 * <p>Senders look the receiver up for every packet and keep no reference, so only the calls in
 * progress refer to a port that was unplugged.
 *
 * <p>This port queues the management datagrams (QP0 and QP1) that arrive here, or that are for no
 * adapter's port, for the fabric's thread, because the agents of nodes take a lock.
 */
public final class FabricPort implements Wire, AutoCloseable {
  private final Fabric fabric;
  private final Subnet subnet;
  private final NodePort place;
  final ForwardingTable table;
  private final Losses losses = new Losses();
  private final Delivery delivery;
  final AtomicBoolean waiting = new AtomicBoolean(); // in the stack of Mail
  @Nullable FabricPort below; // the next port in the stack of Mail
  private final Mailbox mailbox;
  private final KeyViolation violation;
  private final LinkErrors errors;
  final SwitchFilter filter; // of the switch port at the other end
  private final GroupJoins groups = new GroupJoins(this); // guarded by fabric
  private volatile @Nullable WirePort receiver;
  private volatile boolean cabled;
  private volatile boolean closed; // written while fabric's monitor is held
  private volatile int lid;
  private volatile int mtuBytes = Mtu.MTU_4096.bytes();

  FabricPort(Fabric fabric, Subnet subnet, NodePort place) {
    this.fabric = fabric;
    this.subnet = subnet;
    this.place = place;
    this.mailbox = new Mailbox(this);
    this.violation = new KeyViolation(this);
    this.errors = new LinkErrors(this);
    NodePort peer = place.peer();
    this.filter = new SwitchFilter(this, peer == null ? place : peer);
    this.table =
        peer != null && peer.node().isSwitch() ? subnet.table(peer.node()) : new ForwardingTable();
    this.delivery = new Delivery(this, mailbox, losses);
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    delivery.transmit(packet, run);
  }

  @Override
  public @Nullable WirePort direct(Route route, Gid source, int bytes) {
    int dlid = route.dlid();
    return fabric.watched() || dlid == 0 ? null : delivery.direct(dlid, bytes);
  }

  @Override
  public Epoch epoch() {
    return fabric.epoch;
  }

  /** {@return whether a capture or a fault rule looks at a port of the fabric (D5)} */
  @Override
  public boolean segments() {
    return fabric.watched();
  }

  /**
   * Wraps the adapter's port, so that management datagrams go to the node's agents first.
   *
   * @param port the adapter's port
   * @return the port for the medium
   */
  public WirePort agents(WirePort port) {
    mailbox.software(port);
    return new AgentPort(port, this);
  }

  /**
   * Connects the adapter's side, once, before {@link #plugCable}.
   *
   * @param port the adapter's port
   * @param mtu the largest MTU of the link; longer packets do not reach the port
   */
  public void attach(WirePort port, Mtu mtu) {
    synchronized (fabric) {
      mtuBytes = mtu.bytes();
      PortInfo.MTU_CAP.set(place.info(), mtu.value());
      PortInfo.NEIGHBOR_MTU.set(place.info(), mtu.value());
      receiver = port;
      fabric.changed();
    }
  }

  /**
   * Connects the adapter that the port's agents change, and the wire by which they send.
   *
   * @param adapter the adapter behind the port
   * @param wire the adapter's outermost wire, at whose end is this port
   */
  public void manage(Adapter adapter, Wire wire) {
    synchronized (fabric) {
      place.adapter(adapter);
      mailbox.top(wire);
      if (place.lid() != 0) { // the topology has given the LID
        adapter.lid(place.lid(), place.lmc());
      }
    }
  }

  /** {@return the place of this port in the subnet} */
  public NodePort place() {
    return place;
  }

  /** {@return the subnet of this port} */
  public Subnet subnet() {
    return subnet;
  }

  /** {@return the base LID; 0 before the subnet manager has assigned one} */
  public int lid() {
    return lid;
  }

  /** {@return the LID that the built-in subnet manager gives, for an adapter without agents} */
  public int assignLid() {
    synchronized (fabric) {
      return subnet.manager().lid(place);
    }
  }

  /** {@return whether the cable is connected} */
  public boolean cabled() {
    return cabled;
  }

  /** {@return the adapter's port, or null while there is none} */
  @Nullable WirePort receiver() {
    return receiver;
  }

  /** {@return the MTU of the link to the adapter} */
  int mtuBytes() {
    return mtuBytes;
  }

  /** Adopts what the subnet manager has changed. The caller holds the fabric's monitor. */
  void settle() {
    lid = place.lid();
    filter.settle(place.pkeys());
    errors.settle();
    mtuBytes = Mtu.of(PortInfo.NEIGHBOR_MTU.in(place.info())).bytes();
  }

  /**
   * Connects the cable. Where the built-in subnet manager is the master, the port is ACTIVE when
   * this method returns.
   *
   * @throws ib.core.verbs.IbNoMemoryException when there is no LID left
   */
  public void plugCable() {
    synchronized (fabric) {
      if (!cabled && !closed) {
        cabled = true;
        place.present(true);
        subnet.links().up(place);
        subnet.relinked(place);
      }
    }
  }

  /**
   * Changes attributes of the adapter. If the capability mask changes, this method sends trap 144
   * to the subnet manager (IBA 14.2.5.1, 13.4.9).
   *
   * @param change changes the attributes
   */
  public void change(Runnable change) {
    synchronized (fabric) {
      int before = place.capabilities();
      change.run();
      if (!closed && place.capabilities() != before) {
        subnet.trap(place, Trap.capabilities(place, false));
        subnet.carry();
      }
    }
  }

  /** Disconnects the cable: packets to and from this port are lost. LID and groups stay. */
  public void pullCable() {
    synchronized (fabric) {
      if (cabled) {
        cabled = false;
        place.present(false);
        subnet.links().down(place, PhysState.POLLING);
        subnet.relinked(place);
      }
    }
  }

  /**
   * Sets the P_Keys that the built-in subnet manager gives to the adapter. Another subnet manager
   * gives P_Keys of its own choice.
   *
   * @param table the P_Keys of the adapter's configuration, 16 bits each
   */
  public void pkeys(int... table) {
    synchronized (fabric) {
      subnet.manager().pkeys(place, table);
    }
  }

  /** Joins a group; each call needs a leave of its own. */
  @Override
  public void join(Gid group, int mlid) {
    synchronized (fabric) {
      groups.join(group, mlid);
    }
  }

  @Override
  public void leave(Gid group, int mlid) {
    synchronized (fabric) {
      groups.leave(group, mlid);
    }
  }

  /** {@return packets that this port could not send or the fabric could not deliver for it} */
  public long discards() {
    return losses.sum();
  }

  /** {@return the lost packets by reason} */
  @Override
  public Map<String, Long> counters() {
    return losses.named();
  }

  /** Returns LID and groups to the subnet and removes the adapter. */
  @Override
  public void close() {
    synchronized (fabric) {
      if (closed) {
        return;
      }
      pullCable();
      closed = true;
      receiver = null;
      fabric.changed();
      mailbox.close();
    }
    fabric.closed(this);
  }

  /** {@return the port that a packet to a LID reaches now; used by tests} */
  @Nullable WirePort receiverOf(int dlid) {
    FabricPort to = table.port(dlid);
    return to == null ? null : to.receiver;
  }

  @Override
  public void keyViolation(Packet packet, boolean pkey) {
    violation.note(pkey ? KeyViolation.PKEY : KeyViolation.QKEY, packet);
  }

  /** Counts a packet that has passed the cable, damaged or not. */
  void passed(boolean damaged) {
    errors.passed(damaged);
  }

  // ---- management datagrams ----

  /** Queues a management datagram that has arrived for the adapter. */
  void arrived(Packet packet, RunContext run) {
    if (!mailbox.arrives(packet)) {
      delivery.discard(packet, Losses.Reason.LINK_DOWN, run);
    }
  }

  /** Carries the datagrams that were queued here. The caller holds the fabric's monitor. */
  void carry() {
    mailbox.carry();
    violation.sendTrap(place);
    filter.sendTrap();
    errors.sendTrap();
  }

  /**
   * Reads an attribute of the node at the end of a directed route, without a datagram.
   *
   * @param hops the port by which the route leaves each node; empty for this port's node
   * @param attribute the attribute
   * @param modifier the attribute modifier
   * @return 64 bytes, a copy; null when the route does not lead to a node that has the attribute
   */
  public @Nullable MemorySegment read(List<Integer> hops, SmpAttribute attribute, int modifier) {
    synchronized (fabric) {
      NodePort at = place;
      for (int hop : hops) {
        NodePort out = at.node().port(hop);
        NodePort in = out != null && out.linked() ? out.peer() : null;
        boolean passes = at.node().isSwitch() || place.equals(out); // an adapter forwards nothing
        if (in == null || !passes) {
          return null;
        }
        at = in;
      }
      return Sma.read(at, attribute, modifier);
    }
  }

  /**
   * Has the agents of the node answer a datagram that never was on a wire.
   *
   * @param mad 256 bytes, not changed
   * @param slid LID of the sender
   * @return the answer, or null when the datagram is not for the agents
   */
  public @Nullable MemorySegment answer(MemorySegment mad, int slid) {
    synchronized (fabric) {
      MemorySegment answer = Agents.concerns(mad) ? subnet.answer(place, mad, slid) : null;
      subnet.carry();
      return answer;
    }
  }

  /** Hands a datagram to the adapter as a packet. {@return false when there is no adapter} */
  boolean receive(Datagram d) {
    WirePort port = receiver;
    if (port == null) {
      return false;
    }
    mailbox.receive(d, port);
    return true;
  }

  /** Sends a datagram by the adapter's own wire. {@return false without cable or wire} */
  boolean send(Datagram d) {
    return cabled && mailbox.send(d);
  }
}
