package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;

/** Receives connection manager messages for the connections of one interface. */
public interface CmParty {
  /**
   * Hands a received message to the interface's loop. Any thread may call; this method does not
   * block.
   *
   * @param tid transaction ID, which an answer repeats
   * @param message a REQ for this interface, or another message with a communication ID of this
   *     interface
   * @param answer address vector to the sender
   */
  void received(long tid, CmMessage message, AhAttr answer);
}
