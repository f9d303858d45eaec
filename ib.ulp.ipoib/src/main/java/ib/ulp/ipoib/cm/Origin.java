package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request may be believed (B10): what it says of its sender is held against where its
 * datagram came from, which the adapters and switches on the way vouch for, and what it says of its
 * receiver against this interface.
 */
final class Origin {
  private static final int PARTITION = 0x7fff;
  private static final int IPV6_LEAST = 1280;

  private Origin() {}

  /**
   * Checks a request.
   *
   * @param answer the way back to where the datagram came from
   * @return null when it may be believed
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

  /** Where there is a global route, the GIDs agree; in a subnet of InfiniBand the LIDs do too. */
  private static boolean isFrom(CmRequest.Path path, AhAttr answer, boolean ethernet) {
    GlobalRoute route = answer.grh();
    boolean gid = route == null ? !ethernet : route.dgid().equals(path.localGid());
    boolean routed = route != null && !path.subnetLocal(); // the LID is that of the router
    return gid && (ethernet || routed || answer.dlid() == path.localLid());
  }

  /** {@return whether a peer takes packets that are long enough for IP of both versions} */
  static boolean takesIp(Connected data) {
    int least = IPV6_LEAST + Encapsulation.BYTES;
    return Integer.compareUnsigned(data.receiveMtu(), least) >= 0;
  }

  /** {@return what the sender is told (IBA table 108)} */
  static int reason(Refusal why, AhAttr answer) {
    return switch (why) {
      case SOURCE -> answer.grh() == null ? CmReject.INVALID_LID : CmReject.INVALID_GID;
      case DESTINATION -> CmReject.INVALID_GID;
      default -> CmReject.UNSUPPORTED;
    };
  }
}
