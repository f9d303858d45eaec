package ib.driver.soft.fabric;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The end of a cable at an adapter's port. A packet is handed to the receiving port in the sender's
 * call. What cannot be delivered vanishes, as on a real fabric, and is counted; a reliable sender
 * finds out by its timer.
 *
 * <p>Senders look the receiver up for every packet and keep nothing, so a port that was unplugged
 * is referred to by nobody but the calls that are just running.
 */
public final class FabricPort implements Wire, AutoCloseable {
  private final Fabric fabric;
  private final Switch home;
  private final ForwardingTable table;
  private final AtomicLong discards = new AtomicLong();
  private volatile @Nullable WirePort receiver;
  private volatile boolean cabled;
  private volatile int lid;
  private boolean closed; // under this
  private volatile int mtuBytes = Mtu.MTU_4096.bytes();

  FabricPort(Fabric fabric, Switch home) {
    this.fabric = fabric;
    this.home = home;
    this.table = home.table();
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    if (!cabled) {
      discard(packet, run);
    } else if (packet.isMulticast()) {
      multicast(packet, run);
    } else {
      int dlid = packet.dlid;
      deliver(dlid == 0 || dlid == lid ? this : table.port(dlid), packet, run);
    }
  }

  @Override
  public @Nullable WirePort direct(int dlid, int bytes) {
    FabricPort to = dlid == lid ? this : table.port(dlid);
    if (to == null || !cabled || bytes > to.mtuBytes || fabric.watched()) {
      return null;
    }
    WirePort port = to.receiver;
    return port == null ? null : port.direct();
  }

  @Override
  public long changes() {
    return fabric.changes();
  }

  /** False unless somebody looks at a port of the fabric (D5). */
  @Override
  public boolean segments() {
    return fabric.watched();
  }

  /**
   * Connects the adapter's side, once, before the cable is put in.
   *
   * @param port the adapter's port
   * @param mtu its active MTU: longer packets do not reach it
   */
  public void attach(WirePort port, Mtu mtu) {
    mtuBytes = mtu.bytes();
    receiver = port;
    fabric.changed();
  }

  /**
   * The LID, given by the fabric at the first call.
   *
   * @return 1 to 0xBFFF
   * @throws ib.core.verbs.IbNoMemoryException when there is none left
   */
  public synchronized int assignLid() {
    if (lid == 0) {
      lid = home.assignLid();
    }
    return lid;
  }

  /** {@return the LID, 0 before one was given} */
  public int lid() {
    return lid;
  }

  /** {@return whether the cable is in} */
  public boolean cabled() {
    return cabled;
  }

  /** Puts the cable in: from now on packets pass. The port has its LID. */
  public synchronized void plugCable() {
    if (!cabled) {
      cabled = true;
      home.plugCable(this);
      fabric.changed();
    }
  }

  /** Pulls the cable: packets to and from here vanish. LID and groups stay. */
  public synchronized void pullCable() {
    if (cabled) {
      cabled = false;
      home.pullCable(this);
      fabric.changed();
    }
  }

  /** Joins; the switch counts how often, since groups may share a multicast LID. */
  @Override
  public void join(Gid group, int mlid) {
    home.join(mlid, this);
  }

  @Override
  public void leave(Gid group, int mlid) {
    home.leave(mlid, this);
  }

  /** {@return packets that this port could not send or the switch could not deliver for it} */
  public long discards() {
    return discards.get();
  }

  /** Gives LID and groups back and forgets the adapter. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      pullCable();
      home.forget(this);
      receiver = null;
      fabric.changed();
      fabric.closed(home);
    }
  }

  /** {@return what a packet to a LID reaches now; for tests} */
  @Nullable WirePort receiverOf(int dlid) {
    FabricPort to = table.port(dlid);
    return to == null ? null : to.receiver;
  }

  private void deliver(@Nullable FabricPort to, Packet packet, RunContext run) {
    WirePort port = to == null ? null : to.receiver;
    if (to == null
        || port == null
        || packet.payload.length() > (long) packet.psnCount * to.mtuBytes) {
      discard(packet, run);
    } else {
      port.receive(packet, run);
    }
  }

  private void multicast(Packet packet, RunContext run) {
    for (FabricPort to : table.members(packet.dlid)) {
      if (to != this) {
        Packet replica = packet.replicate();
        if (replica == null) {
          discards.getAndIncrement();
        } else {
          deliver(to, replica, run);
        }
      }
    }
    packet.release(run);
  }

  private void discard(Packet packet, RunContext run) {
    discards.getAndIncrement();
    packet.dropped = "no way to its destination";
    packet.release(run);
  }
}
