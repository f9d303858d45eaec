package ib.core.cm;

import ib.core.verbs.MaySleep;

/**
 * A connection of the host. Each method but {@link #close} throws {@link ib.core.verbs.IbException}
 * when the host refuses, as for a connection whose peer has given up. None waits for the peer.
 */
public interface ConnectorLink extends AutoCloseable {
  /** Confirms the peer's answer, when the queue pair is in RTS. */
  @MaySleep
  void confirm();

  /**
   * Accepts a request, when the queue pair is in RTS.
   *
   * @param mine this side's queue pair
   * @param data private data for the peer, at most 196 bytes
   */
  @MaySleep
  void accept(ConnectorEndpoint mine, byte[] data);

  /**
   * Rejects a request or an answer, with reason 28.
   *
   * @param data private data for the peer, at most 148 bytes
   */
  @MaySleep
  void reject(byte[] data);

  /** Reports that the first message has arrived on the queue pair, which stands for a lost RTU. */
  @MaySleep
  void dataArrived();

  /** Disconnects; the end is an event. */
  @MaySleep
  void disconnect();

  /**
   * Gives the connection up whatever its state is, and tells the peer. A second call does nothing.
   */
  @Override
  @MaySleep
  void close();
}
