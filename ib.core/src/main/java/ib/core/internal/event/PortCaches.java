package ib.core.internal.event;

import ib.core.internal.DeviceCaches;
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
 * <p>Refreshes of a port may overlap (connect, dispatcher, retry). No lock is held while the driver
 * is asked (I5); instead each takes a ticket before it asks, and never replaces the snapshot of a
 * later ticket: whoever began later cannot have read something older.
 */
final class PortCaches implements DeviceCaches {
  private record Snapshot(long ticket, PortAttr attr, Gid[] gids, int[] pkeys) {}

  private final DriverDevice device;
  private final int portCount;
  private final AtomicReferenceArray<@Nullable Snapshot> ports;
  private final AtomicLong tickets = new AtomicLong();

  PortCaches(DriverDevice device) {
    this.device = device;
    this.portCount = device.portCount();
    this.ports = new AtomicReferenceArray<>(portCount);
  }

  int portCount() {
    return portCount;
  }

  String device() {
    return device.name();
  }

  /**
   * Asks the driver for everything of a port; what it throws passes through, the snapshot stays.
   */
  void refresh(int port) {
    check(port);
    long ticket = tickets.incrementAndGet();
    PortAttr attr = device.ops().queryPort(port);
    Gid[] gids = new Gid[attr.gidTableLen()];
    for (int i = 0; i < gids.length; i++) {
      gids[i] = device.ops().queryGid(port, i);
    }
    int[] pkeys = new int[attr.pkeyTableLen()];
    for (int i = 0; i < pkeys.length; i++) {
      pkeys[i] = device.ops().queryPkey(port, i);
    }
    Snapshot fresh = new Snapshot(ticket, attr, gids, pkeys);
    ports.accumulateAndGet(port - 1, fresh, PortCaches::later);
  }

  private static @Nullable Snapshot later(@Nullable Snapshot a, @Nullable Snapshot b) {
    return a == null || (b != null && b.ticket > a.ticket) ? b : a;
  }

  @Override
  public PortAttr port(int port) {
    check(port);
    Snapshot s = ports.get(port - 1);
    return s == null ? device.ops().queryPort(port) : s.attr;
  }

  @Override
  public Gid gid(int port, int index) {
    check(port);
    Snapshot s = ports.get(port - 1);
    if (s == null) {
      return device.ops().queryGid(port, index);
    }
    check("GID", port, index, s.gids.length);
    return s.gids[index];
  }

  @Override
  public int pkey(int port, int index) {
    check(port);
    Snapshot s = ports.get(port - 1);
    if (s == null) {
      return device.ops().queryPkey(port, index);
    }
    check("P_Key", port, index, s.pkeys.length);
    return s.pkeys[index];
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
