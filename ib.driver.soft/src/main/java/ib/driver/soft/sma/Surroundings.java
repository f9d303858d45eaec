package ib.driver.soft.sma;

import ib.driver.soft.topology.NodePort;

/**
 * Notifies the subnet of changes that the agents of a node have made. The caller holds the fabric's
 * monitor.
 */
public interface Surroundings {
  /**
   * A port has another LID or another state.
   *
   * @param port which
   */
  void moved(NodePort port);

  /**
   * Some LIDs, or multicast LIDs, are forwarded otherwise from now on.
   *
   * @param first the first one
   * @param count how many
   */
  void forwards(int first, int count);

  /**
   * A port's P_Key table, its partition enforcement or its error threshold may have changed.
   *
   * @param port the port
   */
  void rekeyed(NodePort port);

  /**
   * A node has something to tell the subnet manager.
   *
   * @param from the port that has LID and SM LID
   * @param trap what
   */
  void trap(NodePort from, Trap trap);
}
