package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;

/** Sends messages of the connection manager, and tells whose those are that come. */
public interface CmService extends AutoCloseable {
  /**
   * A name for a connection of one's own, unguessable and unique on the port.
   *
   * @param party hears messages to it until {@link #release}
   */
  int name(CmParty party);

  /** Gives a name back. */
  void release(int id);

  /**
   * Hears requests for an interface, until {@link #unlisten}. While it does not listen, requests
   * for it are left to come again: it may listen when they do.
   *
   * @param udQpn queue pair of its datagram service, which the service identifiers have in them
   *     (W14)
   */
  void listen(int udQpn, CmParty party);

  /** Hears no more of them. */
  void unlisten(int udQpn);

  /** {@return a transaction for a new exchange} */
  long transaction(int id);

  /**
   * Sends a message, unreliably.
   *
   * @param tid transaction
   * @param to the way
   * @param pkeyIndex of the partition
   */
  void send(long tid, CmMessage message, AhAttr to, int pkeyIndex);

  /** No message comes any more when this returns. */
  @Override
  void close();
}
