package ib.ulp.ipoib.cm;

import ib.cm.CmPath;
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
   * @param path the path in the request, from this side
   * @param source address vector to the source of the datagram
   * @param data the private data of the request
   * @return null when the request is credible
   */
  static @Nullable Refusal check(CmPath path, AhAttr source, Connected data, Self me) {
    if (!isFrom(path, source, me.ethernet())) {
      return Refusal.SOURCE;
    }
    if (!path.local().equals(me.address().gid())) {
      return Refusal.DESTINATION;
    }
    if ((path.pkey() & PARTITION) != (me.pkey() & PARTITION)) {
      return Refusal.PARTITION;
    }
    return takesIp(data) ? null : Refusal.MTU;
  }

  /** Compares GIDs if the datagram has a global route, and LIDs inside an InfiniBand subnet. */
  private static boolean isFrom(CmPath path, AhAttr source, boolean ethernet) {
    GlobalRoute route = source.grh();
    boolean gid = route == null ? !ethernet : route.dgid().equals(path.remote());
    boolean routed =
        route != null && path.way().grh() != null; // the datagram's LID is the router's
    return gid && (ethernet || routed || source.dlid() == path.way().dlid());
  }

  /** {@return whether the peer accepts packets long enough for IPv4 and IPv6, 1280 bytes} */
  static boolean takesIp(Connected data) {
    int least = MIN_IPV6 + Encapsulation.BYTES;
    return Integer.compareUnsigned(data.receiveMtu(), least) >= 0;
  }

  /** {@return the reason in the REJ (IBA table 108)} */
  static int reason(Refusal why, AhAttr source) {
    return switch (why) {
      case SOURCE -> source.grh() == null ? Answers.INVALID_LID : Answers.INVALID_GID;
      case DESTINATION -> Answers.INVALID_GID;
      default -> Answers.UNSUPPORTED;
    };
  }
}
