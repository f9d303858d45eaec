package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.LinkAddress;

/**
 * What an interface is now.
 *
 * @param carrier whether packets pass
 * @param reason why not, in words; "up" if they do
 * @param mtu bytes of the longest IP packet
 * @param address of the link
 * @param broadcast the group of all; of no meaning before the first carrier
 * @param bitsPerSecond lane speed times width, 0 if unknown
 */
public record LinkState(
    boolean carrier,
    String reason,
    int mtu,
    LinkAddress address,
    Gid broadcast,
    long bitsPerSecond) {}
