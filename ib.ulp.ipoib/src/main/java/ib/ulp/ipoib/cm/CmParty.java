package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;

/** Who takes messages of the connection manager: the connections of one interface. */
public interface CmParty {
  /**
   * A message has come. From any thread; hands it to the loop of the interface.
   *
   * @param tid transaction, to answer with
   * @param message what; a REQ is for this interface, everything else has an identifier of it
   * @param answer the way back
   */
  void received(long tid, CmMessage message, AhAttr answer);
}
