package ib.driver.soft.fabric;

import ib.driver.soft.topology.NodePort;

/**
 * Software at a port that takes management datagrams: the built-in subnet manager, or a client of
 * the ibsim server. The caller holds the fabric's monitor.
 */
public interface MadConsumer {
  /**
   * Takes a datagram, or leaves it to other consumers.
   *
   * @param at the port at which the datagram arrived
   * @param datagram the datagram, which belongs to the consumer if this method returns true
   * @return whether the consumer has taken the datagram
   */
  boolean take(NodePort at, Datagram datagram);
}
