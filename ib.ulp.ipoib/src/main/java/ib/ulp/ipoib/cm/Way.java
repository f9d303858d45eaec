package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;

/**
 * A path to a peer.
 *
 * @param ah address vector to the peer
 * @param mtu MTU of the path
 * @param localLid LID of this port; unused on RoCE
 */
public record Way(AhAttr ah, Mtu mtu, int localLid) {}
