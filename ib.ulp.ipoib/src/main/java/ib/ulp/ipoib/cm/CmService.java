package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;

/**
 * Sends connection manager messages of one interface, and hands it the messages that arrive for it.
 * Any thread may call.
 */
public interface CmService extends AutoCloseable {
  /**
   * Returns a communication ID for a new connection, unguessable and unique on the port.
   *
   * @param party receives messages with this ID until {@link #release}
   */
  int name(CmParty party);

  /** Releases a communication ID. */
  void release(int id);

  /**
   * Hands requests for an interface to {@code party}, until {@link #unlisten}. While no party
   * listens, requests are dropped; the peer repeats them.
   *
   * @param udQpn datagram queue pair number of the interface, which its service IDs contain (W14)
   */
  void listen(int udQpn, CmParty party);

  /** Ends {@link #listen}: requests for the interface are dropped again. */
  void unlisten(int udQpn);

  /** {@return a transaction ID for a new exchange; {@code id} is its low half} */
  long transaction(int id);

  /**
   * Sends a message, unreliably.
   *
   * @param tid transaction ID
   * @param to address vector to the peer's port
   * @param pkeyIndex index of the partition's P_Key in the port's table
   */
  void send(long tid, CmMessage message, AhAttr to, int pkeyIndex);

  /** Ends the service: after this returns, its party receives no message. */
  @Override
  void close();
}
