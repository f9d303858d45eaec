package ib.driver.soft.sma;

import ib.driver.soft.topology.NodePort;

/** What the agents of a node tell the subnet around it. Called under the fabric's lock. */
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
   * What a port lets pass, or bears, is another from now on.
   *
   * @param port which
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
