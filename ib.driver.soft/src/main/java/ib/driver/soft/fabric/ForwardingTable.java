package ib.driver.soft.fabric;

import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.PortTally;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of packets that the adapters of one switch send: LID to port, and multicast LID
 * to ports. Any thread reads without a lock. A change makes new arrays, so a reader sees the state
 * before or after the change. Only the {@link Router} writes.
 */
final class ForwardingTable {
  private static final FabricPort[] NOBODY = {};
  private static final PortTally[] NO_LINKS = {};

  private volatile @Nullable FabricPort[] unicast = new @Nullable FabricPort[0];
  private volatile FabricPort[][] multicast = {};
  private volatile @Nullable PortTally[][] crossed = new @Nullable PortTally[0][];

  ForwardingTable() {}

  /** {@return the port of a LID, or null} */
  @Nullable FabricPort port(int lid) {
    @Nullable FabricPort[] table = unicast;
    return lid >= 0 && lid < table.length ? table[lid] : null;
  }

  /** {@return the ports of a multicast LID, which the caller does not change} */
  FabricPort[] members(int mlid) {
    FabricPort[][] table = multicast;
    int i = mlid - Node.MULTICAST_FIRST;
    return i >= 0 && i < table.length ? table[i] : NOBODY;
  }

  /**
   * {@return the switch ports on the route of a LID, or of a group, that send to another switch}
   */
  PortTally[] links(int lid) {
    @Nullable PortTally[][] table = crossed;
    PortTally[] found = lid >= 0 && lid < table.length ? table[lid] : null;
    return found == null ? NO_LINKS : found;
  }

  /** Replaces the table; the arrays belong to the table from now on. */
  void replace(@Nullable FabricPort[] ports, FabricPort[][] groups, @Nullable PortTally[][] links) {
    unicast = ports;
    multicast = groups;
    crossed = links;
  }
}
