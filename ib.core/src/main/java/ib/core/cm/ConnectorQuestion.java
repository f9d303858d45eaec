package ib.core.cm;

import ib.core.verbs.MaySleep;
import java.net.InetSocketAddress;

/**
 * A peer's question for a datagram service. Each method but {@link #close} throws {@link
 * ib.core.verbs.IbException} when the host refuses. None waits for the peer.
 */
public interface ConnectorQuestion extends AutoCloseable {
  /** {@return address and port that the peer asks for} */
  InetSocketAddress local();

  /** {@return address and port of the peer} */
  InetSocketAddress remote();

  /** {@return private data of the peer, 180 bytes} */
  byte[] data();

  /**
   * Answers with a queue pair whose Q_Key is RDMA CM's, 0x01234567: the host knows no other.
   *
   * @param qpn its number, 24 bits
   * @param data private data for the peer, at most 136 bytes
   */
  @MaySleep
  void accept(int qpn, byte[] data);

  /**
   * Refuses with status 2.
   *
   * @param data private data for the peer, at most 136 bytes
   */
  @MaySleep
  void reject(byte[] data);

  /** Ends it, and refuses it unless it was answered. A second call does nothing. */
  @Override
  @MaySleep
  void close();
}
