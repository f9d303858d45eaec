package ib.cm.internal.machine;

import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;

/** Where the machine's messages go. */
@FunctionalInterface
public interface Out {
  /**
   * Sends a message to QP1 of a peer; it may be lost.
   *
   * @param message what; the machine may send the same message again
   * @param way the way
   * @param pkeyIndex index of the P_Key
   */
  void send(CmMessage message, AhAttr way, int pkeyIndex);
}
