package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses of all links of one client. Any thread may call; no method blocks. */
final class NearLinks {
  private final ConcurrentMap<Gid, List<Integer>> numbers = new ConcurrentHashMap<>();

  void add(LinkAddress address) {
    numbers.merge(
        address.gid(),
        List.of(address.qpn()),
        (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
  }

  void remove(LinkAddress address) {
    numbers.computeIfPresent(
        address.gid(),
        (gid, all) -> {
          List<Integer> rest = new ArrayList<>(all);
          rest.remove((Integer) address.qpn());
          return rest.isEmpty() ? null : List.copyOf(rest);
        });
  }

  /** {@return whether the datagram queue pair with that number is a link's} */
  boolean has(Gid gid, int qpn) {
    @Nullable List<Integer> all = numbers.get(gid);
    for (int i = 0; all != null && i < all.size(); i++) {
      if (all.get(i) == qpn) {
        return true;
      }
    }
    return false;
  }
}
