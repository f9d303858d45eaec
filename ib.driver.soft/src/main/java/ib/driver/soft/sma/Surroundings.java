package ib.driver.soft.sma;

import ib.driver.soft.topology.NodePort;

/**
 * Notifies the subnet of changes that the agents of a node have made. The caller holds the fabric's
 * monitor.
 */
public interface Surroundings {
  /**
   * Follows a new LID or a new state of a port.
   *
   * @param port the port
   */
  void moved(NodePort port);

  /**
   * Follows new entries of a forwarding table.
   *
   * @param first the first LID, or multicast LID, whose entry has changed
   * @param count the number of LIDs in a row
   */
  void forwards(int first, int count);

  /**
   * Follows a port's P_Key table, partition enforcement and error threshold, one of which may have
   * changed.
   *
   * @param port the port
   */
  void rekeyed(NodePort port);

  /**
   * Sends a trap to the subnet manager.
   *
   * @param from the port of the node that has the LID of the node and the LID of the manager
   * @param trap the trap
   */
  void trap(NodePort from, Trap trap);
}
