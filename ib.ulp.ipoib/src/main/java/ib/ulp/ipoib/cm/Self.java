package ib.ulp.ipoib.cm;

import ib.ulp.ipoib.wire.LinkAddress;

/**
 * This interface, as connection manager messages describe it.
 *
 * @param address link address of the interface, without flags
 * @param pkey P_Key of the partition
 * @param pkeyIndex index of the P_Key in the port's table
 * @param ethernet whether the port is a RoCE port, which has no LIDs
 * @param receiveMtu longest message in bytes that the interface receives, with the encapsulation
 * @param rfcService whether requests use RFC 4755's form of the service ID instead of Linux's (W14)
 */
public record Self(
    LinkAddress address,
    int pkey,
    int pkeyIndex,
    boolean ethernet,
    int receiveMtu,
    boolean rfcService) {

  /**
   * {@return whether this side's request yields to the peer's when both cross (C3)} Compares the
   * addresses as unsigned numbers; the side with the smaller address accepts.
   */
  boolean yields(LinkAddress peer) {
    int order = Integer.compare(address.qpn(), peer.qpn());
    if (order == 0) {
      order = Long.compareUnsigned(address.gid().high(), peer.gid().high());
    }
    if (order == 0) {
      order = Long.compareUnsigned(address.gid().low(), peer.gid().low());
    }
    return order <= 0; // a connection to itself: both requests are accepted
  }
}
