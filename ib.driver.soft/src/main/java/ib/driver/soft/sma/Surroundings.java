package ib.driver.soft.sma;

import ib.driver.soft.topology.NodePort;

/** What the agents of a node tell the subnet around it. Called under the fabric's lock. */
public interface Surroundings {
  /** Packets may go another way from now on. */
  void rerouted();

  /** What a port lets pass, or bears, is another from now on. */
  void rekeyed();

  /**
   * A node has something to tell the subnet manager.
   *
   * @param from the port that has LID and SM LID
   * @param trap what
   */
  void trap(NodePort from, Trap trap);
}
