package ib.driver.soft.fabric;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where packets go: LID to port, and multicast LID to ports (IBA 18.2.4.3). Read without a lock; a
 * change makes a new array, so a reader sees the state before or after it. One writer at a time,
 * the {@link Switch}.
 */
final class ForwardingTable {
  /** The first multicast LID. */
  static final int MULTICAST_FIRST = 0xC000;

  /** The last multicast LID; the one above is the permissive LID. */
  static final int MULTICAST_LAST = 0xFFFE;

  private static final FabricPort[] NOBODY = {};

  private volatile @Nullable FabricPort[] unicast = new @Nullable FabricPort[0];
  private volatile FabricPort[][] multicast = {};

  /** {@return the port of a LID, or null} */
  @Nullable FabricPort port(int lid) {
    @Nullable FabricPort[] table = unicast;
    return lid >= 0 && lid < table.length ? table[lid] : null;
  }

  /** {@return the ports of a multicast LID, not to be changed} */
  FabricPort[] members(int mlid) {
    FabricPort[][] table = multicast;
    int i = mlid - MULTICAST_FIRST;
    return i >= 0 && i < table.length ? table[i] : NOBODY;
  }

  /** Sets the port of a LID; the table is never longer than its highest LID needs. */
  void forward(int lid, @Nullable FabricPort port) {
    @Nullable FabricPort[] old = unicast;
    @Nullable FabricPort[] table = Arrays.copyOf(old, Math.max(old.length, lid + 1));
    table[lid] = port;
    int used = table.length;
    while (used > 0 && table[used - 1] == null) {
      used--;
    }
    unicast = Arrays.copyOf(table, used);
  }

  /** Sets the ports of a multicast LID. */
  void members(int mlid, FabricPort[] ports) {
    FabricPort[][] old = multicast;
    int i = mlid - MULTICAST_FIRST;
    FabricPort[][] table = Arrays.copyOf(old, Math.max(old.length, i + 1));
    Arrays.fill(table, old.length, table.length, NOBODY);
    table[i] = ports;
    int used = table.length;
    while (used > 0 && table[used - 1].length == 0) {
      used--;
    }
    multicast = Arrays.copyOf(table, used);
  }
}
