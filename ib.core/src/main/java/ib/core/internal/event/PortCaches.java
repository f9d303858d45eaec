package ib.core.internal.event;

import ib.core.spi.DriverDevice;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PortAttr;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Port attributes, GID and P_Key tables of a device, one immutable snapshot per port.
 *
 * <p>Refreshes of a port may overlap (connect, dispatcher, retry). No thread holds a lock while it
 * queries the driver (I5). Instead each refresh takes a ticket before it queries, and never
 * replaces the snapshot of a later ticket, because a refresh that began later cannot have read
 * older values.
 */
final class PortCaches implements DeviceCaches {
  /** The number of a table when the driver does not number the changes. */
  private static final long UNKNOWN = -1;

  /** One table, the ticket of the refresh that read the table, the driver's number of the table. */
  private record Part<T>(long ticket, long number, T value) {
    static <T> Part<T> later(Part<T> a, Part<T> b) {
      return b.ticket > a.ticket ? b : a;
    }

    Part<T> ofBefore() {
      return new Part<>(0, UNKNOWN, value);
    }

    boolean isOf(long newest) {
      return newest != UNKNOWN && newest == number;
    }
  }

  private record Snapshot(Part<PortAttr> attrs, Part<Gid[]> gidPart, Part<int[]> pkeyPart) {
    PortAttr attr() {
      return attrs.value;
    }

    Gid[] gids() {
      return gidPart.value;
    }

    int[] pkeys() {
      return pkeyPart.value;
    }

    /** {@return the same values, which count as older than those of every refresh} */
    Snapshot ofBefore() {
      return new Snapshot(attrs.ofBefore(), gidPart.ofBefore(), pkeyPart.ofBefore());
    }
  }

  private final DriverDevice device;
  final int portCount;
  private final AtomicReferenceArray<@Nullable Snapshot> ports;
  private final AtomicLong tickets = new AtomicLong();

  PortCaches(DriverDevice device) {
    this.device = device;
    this.portCount = device.portCount();
    this.ports = new AtomicReferenceArray<>(portCount);
  }

  /**
   * {@return the caches of the same device after a reset; until their first refresh they hold what
   * was known before the reset, so that a read in any context does not query the driver}
   */
  PortCaches next() {
    PortCaches next = new PortCaches(device);
    for (int i = 0; i < portCount; i++) {
      Snapshot s = ports.get(i);
      if (s != null) {
        next.ports.set(i, s.ofBefore());
      }
    }
    return next;
  }

  String device() {
    return device.name();
  }

  @Override
  public void refresh(int port) {
    refresh(port, true, true);
  }

  /**
   * Queries the driver for the attributes of a port and for the tables that can have changed. An
   * exception of the driver passes through, and the snapshot stays.
   *
   * @param port from 1
   * @param gids whether the GID table is read even if its number is unchanged
   * @param pkeys whether the P_Key table is read even if its number is unchanged
   */
  void refresh(int port, boolean gids, boolean pkeys) {
    check(port);
    long ticket = tickets.incrementAndGet();
    Snapshot old = ports.get(port - 1);
    // the numbers first: a table that changes while it is read then has another number
    long gidNumber = device.ops().gidChanges(port);
    long pkeyNumber = device.ops().pkeyChanges(port);
    PortAttr attr = device.ops().queryPort(port);
    boolean gidsKept =
        old != null
            && !gids
            && old.gidPart.isOf(gidNumber)
            && old.gids().length == attr.gidTableLen();
    boolean pkeysKept =
        old != null
            && !pkeys
            && old.pkeyPart.isOf(pkeyNumber)
            && old.pkeys().length == attr.pkeyTableLen();
    Snapshot fresh =
        new Snapshot(
            new Part<>(ticket, UNKNOWN, attr),
            gidsKept ? old.gidPart : new Part<>(ticket, gidNumber, readGids(port, attr)),
            pkeysKept ? old.pkeyPart : new Part<>(ticket, pkeyNumber, readPkeys(port, attr)));
    ports.accumulateAndGet(port - 1, fresh, PortCaches::later);
  }

  private Gid[] readGids(int port, PortAttr attr) {
    Gid[] gids = new Gid[attr.gidTableLen()];
    for (int i = 0; i < gids.length; i++) {
      gids[i] = device.ops().queryGid(port, i);
    }
    return gids;
  }

  private int[] readPkeys(int port, PortAttr attr) {
    int[] pkeys = new int[attr.pkeyTableLen()];
    for (int i = 0; i < pkeys.length; i++) {
      pkeys[i] = device.ops().queryPkey(port, i);
    }
    return pkeys;
  }

  /** Takes the later of each part, so that no refresh brings an older table back. */
  private static @Nullable Snapshot later(@Nullable Snapshot a, @Nullable Snapshot b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return new Snapshot(
        Part.later(a.attrs, b.attrs),
        Part.later(a.gidPart, b.gidPart),
        Part.later(a.pkeyPart, b.pkeyPart));
  }

  @Override
  public PortAttr port(int port) {
    check(port);
    Snapshot s = ports.get(port - 1);
    return s == null ? device.ops().queryPort(port) : s.attr();
  }

  @Override
  public Gid gid(int port, int index) {
    check(port);
    Snapshot s = ports.get(port - 1);
    if (s == null) {
      return device.ops().queryGid(port, index);
    }
    check("GID", port, index, s.gids().length);
    return s.gids()[index];
  }

  @Override
  public int pkey(int port, int index) {
    check(port);
    Snapshot s = ports.get(port - 1);
    if (s == null) {
      return device.ops().queryPkey(port, index);
    }
    check("P_Key", port, index, s.pkeys().length);
    return s.pkeys()[index];
  }

  private void check(int port) {
    if (port < 1 || port > portCount) {
      throw new IbInvalidException(
          device.name() + " port " + port, "no such port", "1 to " + portCount);
    }
  }

  private void check(String table, int port, int index, int length) {
    if (index < 0 || index >= length) {
      throw new IbInvalidException(
          device.name() + " port " + port + " " + table + " index " + index,
          "the table has " + length + " entries",
          "0 to " + (length - 1));
    }
  }
}
