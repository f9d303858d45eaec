package ib.cm.internal.machine;

import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;

/**
 * A message that has arrived.
 *
 * @param message what
 * @param answer the way back
 * @param pkeyIndex index of its P_Key
 * @param nowNs when
 */
record Arrival(CmMessage message, AhAttr answer, int pkeyIndex, long nowNs) {}
