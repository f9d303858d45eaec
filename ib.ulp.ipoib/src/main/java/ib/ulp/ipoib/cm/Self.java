package ib.ulp.ipoib.cm;

import ib.ulp.ipoib.wire.LinkAddress;

/**
 * What an interface tells of itself in its messages.
 *
 * @param address of the link, without flags
 * @param caGuid of the adapter
 * @param port to leave by
 * @param sgidIndex of the address's GID in the port's table
 * @param pkey of the partition
 * @param pkeyIndex in the port's table
 * @param ethernet whether the port is of RoCE, which has no LIDs
 * @param receiveMtu bytes that can be received, with the encapsulation
 * @param rfcService whether to ask for the service as RFC 4755 spells it, not as Linux does (W14)
 */
public record Self(
    LinkAddress address,
    long caGuid,
    int port,
    int sgidIndex,
    int pkey,
    int pkeyIndex,
    boolean ethernet,
    int receiveMtu,
    boolean rfcService) {

  /**
   * {@return whether this side's request yields to the peer's when both cross (C3)} Octets of the
   * addresses are compared, the most significant first; the smaller one accepts.
   */
  boolean yields(LinkAddress peer) {
    int order = Integer.compare(address.qpn(), peer.qpn());
    if (order == 0) {
      order = Long.compareUnsigned(address.gid().high(), peer.gid().high());
    }
    if (order == 0) {
      order = Long.compareUnsigned(address.gid().low(), peer.gid().low());
    }
    return order <= 0; // to itself: both are taken
  }
}
