package ib.engine.link;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.engine.run.Claimed;
import ib.engine.run.RunList;
import ib.engine.run.Worker;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import org.jspecify.annotations.Nullable;

/**
 * A port as its queue pairs know it: its addresses, its tables, and where its packets lead. The
 * subclass writes what is written here, under its lock. It counts each change in the {@link #epoch}
 * afterwards. Any thread may read, without waiting.
 */
public abstract class Link implements WirePort {
  private final Wire wire;
  private final Epoch epoch;
  private final Guard guard;
  private final PortTables tables;
  private volatile boolean active;
  private int lid; // published by active
  private int lmcMask;

  /**
   * Makes a port that is down and has no LID.
   *
   * @param wire its medium
   * @param clock the device's clock
   * @param gidCount size of its GID table
   * @param pkeyCount size of its P_Key table
   * @param guid its GUID
   */
  @SuppressWarnings("this-escape") // the guard calls only when packets arrive
  protected Link(Wire wire, Worker clock, int gidCount, int pkeyCount, long guid) {
    this.wire = wire;
    this.epoch = wire.epoch();
    this.tables = new PortTables(gidCount, pkeyCount, guid, epoch);
    this.guard = new Guard(clock, wire, epoch, this::muted);
  }

  /** The guard has muted a source; must not block. */
  protected abstract void muted();

  /**
   * Finds a queue pair of the device.
   *
   * @param qpn a number from 2 on
   * @return the queue pair, or null
   */
  public abstract @Nullable Claimed queuePair(int qpn);

  /** {@return the MTU that the port has now} */
  public abstract Mtu mtu();

  /**
   * Gives copies of a multicast packet that leaves by this port to the queue pairs of the device:
   * the medium does not send it back.
   */
  public abstract void loopBack(Packet packet, RunList run);

  /**
   * Sets the addresses, and whether packets pass; under the lock of the port.
   *
   * @param newLid base LID, 0 for none
   * @param lmc LID mask count
   * @param up whether the port is ACTIVE
   */
  protected final void set(int newLid, int lmc, boolean up) {
    lid = newLid;
    lmcMask = (1 << lmc) - 1;
    active = up; // publishes
    epoch.changed();
  }

  @Override
  public final boolean active() {
    return active;
  }

  @Override
  public final Link direct() {
    return this;
  }

  /** {@return the medium} */
  public final Wire wire() {
    return wire;
  }

  /** {@return the count of what can change ways without packets} */
  public final Epoch epoch() {
    return epoch;
  }

  /** {@return what it knows of sources of packets that no correct peer sends} */
  public final Guard guard() {
    return guard;
  }

  /** {@return its GIDs and P_Keys} */
  public final PortTables tables() {
    return tables;
  }

  /** {@return the LID that packets of a path come from} */
  public final int sourceLid(int bits) {
    return lid | (bits & lmcMask);
  }

  /**
   * Makes a route of an address.
   *
   * @param attr the address
   * @return the route
   * @throws ib.core.verbs.IbInvalidException when it is none from this port
   */
  public final Route route(AhAttr attr) {
    GlobalRoute grh = attr.grh();
    if (grh != null) {
      Gid source = tables.checkedGid(grh.sgidIndex());
      boolean fits = !wire.alwaysGlobal() || source.isIpv4Mapped() == grh.dgid().isIpv4Mapped();
      if (!fits || source.equals(Gid.ZERO)) {
        String from = "source GID " + grh.sgidIndex() + " is " + source;
        throw new IbInvalidException(
            "address " + grh.dgid(), from, "a source GID of the same kind: ibv_devinfo -v");
      }
    } else if (attr.dlid() == 0 || wire.alwaysGlobal()) {
      String hint = wire.alwaysGlobal() ? "AhAttr.ofGid: Ethernet has no LIDs" : "1 to 65535";
      throw new IbInvalidException("address", "dlid " + attr.dlid() + " and no GID", hint);
    }
    return new Route(attr);
  }

  /** {@return the path bits of a LID of the port} */
  public final int pathBits(int dlid) {
    return dlid & lmcMask;
  }

  /**
   * Finds the port that packets of this one reach without being packets.
   *
   * @param route their destination, and the index of their source GID
   * @param bytes length of the longest
   * @return the port, or null
   */
  public final @Nullable Link reaches(Route route, int bytes) {
    WirePort to = active ? wire.direct(route, tables.gid(route.sgidIndex()), bytes) : null;
    return to instanceof Link link && link.active ? link : null;
  }
}
