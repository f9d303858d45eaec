package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;

/** This side's queue pair of a connection. Used on the loop's thread only. */
public interface RcEnd {
  /** {@return the queue pair number, which the peer needs} */
  int qpn();

  /** {@return the first packet sequence number that the peer must send (RG-23)} */
  int psn();

  /**
   * Makes the queue pair ready to receive and to send.
   *
   * @param way address vector to the peer
   * @param mtu MTU of the path
   * @param ackTimeout n of the ACK timeout, 4.096 us * 2^n
   * @param peerQpn the peer's queue pair number
   * @param firstPsn the first packet sequence number that this side sends, from the peer's message
   *     (RG-23)
   * @throws ib.core.verbs.IbException when the device refuses
   */
  void connect(AhAttr way, Mtu mtu, int ackTimeout, int peerQpn, int firstPsn);

  /** Closes the queue pair; the device destroys it after the last receive has completed (C5). */
  void close();
}
