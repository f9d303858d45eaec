package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;

/** This side's queue pair of a connection. On the loop. */
public interface RcEnd {
  /** {@return its number, for the peer} */
  int qpn();

  /** {@return the packet sequence number that the peer is to begin to send with (RG-23)} */
  int psn();

  /**
   * Makes it ready to receive and to send.
   *
   * @param way to the peer
   * @param mtu of the path
   * @param ackTimeout 4.096 us * 2^n to wait for acknowledgements
   * @param peerQpn queue pair there
   * @param firstPsn what the peer's message says: this side begins to send with it (RG-23)
   * @throws ib.core.verbs.IbException when the device refuses
   */
  void connect(AhAttr way, Mtu mtu, int ackTimeout, int peerQpn, int firstPsn);

  /** Ends it; it is destroyed when the last of its receives is back (C5). */
  void close();
}
