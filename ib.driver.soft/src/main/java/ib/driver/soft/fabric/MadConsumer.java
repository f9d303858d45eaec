package ib.driver.soft.fabric;

import ib.driver.soft.topology.NodePort;

/**
 * Software at a port that takes management datagrams: the built-in subnet manager, or a client of
 * the ibsim server. The caller holds the fabric's monitor.
 */
public interface MadConsumer {
  /**
   * Takes a datagram, or leaves it to others.
   *
   * @param at the port that it arrived at
   * @param datagram the datagram, the consumer's when it takes it
   * @return whether it was taken
   */
  boolean take(NodePort at, Datagram datagram);
}
