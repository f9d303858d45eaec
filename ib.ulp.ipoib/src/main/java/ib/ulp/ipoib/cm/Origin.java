package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a REQ names its sender and receiver truthfully (B10). The sender in the REQ is
 * compared with the source of its datagram, which adapters and switches have checked; the receiver
 * is compared with this interface.
 */
final class Origin {
  private static final int PARTITION = 0x7fff;
  private static final int MIN_IPV6 = 1280;

  private Origin() {}

  /**
   * Checks a request.
   *
   * @param answer address vector to the source of the datagram
   * @return null when the request is credible
   */
  static @Nullable Refusal check(CmRequest req, AhAttr answer, Self me) {
    if (!isFrom(req.path(), answer, me.ethernet())) {
      return Refusal.SOURCE;
    }
    if (!req.path().remoteGid().equals(me.address().gid())) {
      return Refusal.DESTINATION;
    }
    if ((req.pkey() & PARTITION) != (me.pkey() & PARTITION)) {
      return Refusal.PARTITION;
    }
    return takesIp(req.data()) ? null : Refusal.MTU;
  }

  /** Compares GIDs if the datagram has a global route, and LIDs inside an InfiniBand subnet. */
  private static boolean isFrom(CmRequest.Path path, AhAttr answer, boolean ethernet) {
    GlobalRoute route = answer.grh();
    boolean gid = route == null ? !ethernet : route.dgid().equals(path.localGid());
    boolean routed = route != null && !path.subnetLocal(); // the datagram's LID is the router's
    return gid && (ethernet || routed || answer.dlid() == path.localLid());
  }

  /** {@return whether the peer accepts packets long enough for IPv4 and IPv6, 1280 bytes} */
  static boolean takesIp(Connected data) {
    int least = MIN_IPV6 + Encapsulation.BYTES;
    return Integer.compareUnsigned(data.receiveMtu(), least) >= 0;
  }

  /** {@return the reason in the REJ (IBA table 108)} */
  static int reason(Refusal why, AhAttr answer) {
    return switch (why) {
      case SOURCE -> answer.grh() == null ? CmReject.INVALID_LID : CmReject.INVALID_GID;
      case DESTINATION -> CmReject.INVALID_GID;
      default -> CmReject.UNSUPPORTED;
    };
  }
}
