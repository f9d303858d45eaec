package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.LinkAddress;

/**
 * The state of an interface.
 *
 * @param carrier whether packets pass
 * @param reason why no packets pass, in words; "up" if they do
 * @param mtu the longest IP packet in bytes
 * @param address link address
 * @param broadcast MGID of the broadcast group; undefined before the first carrier
 * @param bitsPerSecond lane speed times width, 0 if unknown
 */
public record LinkState(
    boolean carrier,
    String reason,
    int mtu,
    LinkAddress address,
    Gid broadcast,
    long bitsPerSecond) {}
