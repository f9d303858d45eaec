package ib.ulp.ipoib.net;

import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of an interface with their prefixes, and a default gateway. Used on the loop's
 * thread only, but for {@link #own}.
 */
final class Addresses {
  private final Map<Ip, Integer> nets = new LinkedHashMap<>();
  private volatile List<Ip> own = List.of();
  private @Nullable Ip gateway;

  /** {@return the addresses; any thread may call} */
  List<Ip> own() {
    return own;
  }

  /** Adds an address. {@return whether it is new} */
  boolean add(Ip address, int prefix) {
    boolean known = nets.put(address, prefix) != null;
    if (!known) {
      List<Ip> all = new ArrayList<>(own);
      all.add(address);
      own = List.copyOf(all);
    }
    return !known;
  }

  void gateway(Ip router) {
    gateway = router;
  }

  /** {@return whether an address is the broadcast address of a net of ours, or 255.255.255.255} */
  boolean isBroadcast(Ip to) {
    if (!to.isV4()) {
      return false;
    }
    for (Map.Entry<Ip, Integer> net : nets.entrySet()) {
      Ip address = net.getKey();
      if (address.isV4() && to.equals(address.netBroadcast(net.getValue()))) {
        return true;
      }
    }
    return to.v4() == -1;
  }

  /**
   * {@return the source address for a destination: one of the same net, else one of the same IP
   * version}
   */
  Ip source(Ip to) {
    Ip any = to.isV4() ? Ip.v4(0) : new Ip(0, 0);
    for (Map.Entry<Ip, Integer> net : nets.entrySet()) {
      Ip mine = net.getKey();
      if (mine.sameNet(to, net.getValue())) {
        return mine;
      }
      boolean near = to.isLinkLocal() || to.high() >>> 48 == 0xff02;
      if (mine.isV4() == to.isV4() && (any.isZero() || any.isLinkLocal() && !near)) {
        any = mine;
      }
    }
    return any;
  }

  /** {@return the next hop for a destination: itself, or the gateway; null when there is none} */
  @Nullable Ip next(Ip to) {
    for (Map.Entry<Ip, Integer> net : nets.entrySet()) {
      if (net.getKey().sameNet(to, net.getValue())) {
        return to;
      }
    }
    Ip router = gateway;
    return router != null && router.isV4() == to.isV4() ? router : null;
  }
}
