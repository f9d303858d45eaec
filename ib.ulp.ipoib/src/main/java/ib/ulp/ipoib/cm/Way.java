package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;

/**
 * A path to a peer.
 *
 * @param ah how to get there
 * @param mtu of the path
 * @param localLid of this port; of no meaning on RoCE
 */
public record Way(AhAttr ah, Mtu mtu, int localLid) {}
