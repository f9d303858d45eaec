package ib.core.cm;

import ib.core.verbs.AnyContext;

/**
 * Hears what happens to a connection of the host: one call at a time, on a thread of the driver.
 * After {@link #ended} there is none, and after the close of the link at most one that has begun.
 */
public interface ConnectorEvents {
  /**
   * The peer has accepted; for an active side, which moves its queue pair and calls {@link
   * ConnectorLink#confirm}.
   *
   * @param peer the peer's queue pair
   * @param psns the starting PSNs
   * @param data private data of the peer, 196 bytes
   */
  @AnyContext
  void replied(ConnectorEndpoint peer, ConnectorPsns psns, byte[] data);

  /** The peer has confirmed; for a passive side. */
  @AnyContext
  void established();

  /**
   * The connection has ended.
   *
   * @param how how
   * @param status an error number or a reason, as {@link ConnectorEnd} says; else 0
   * @param data private data of the message that has ended it; empty when no message has
   */
  @AnyContext
  void ended(ConnectorEnd how, int status, byte[] data);
}
