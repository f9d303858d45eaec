package ib.driver.soft.sm;

import ib.core.mad.smp.PortInfo;
import ib.core.sa.PathRecord;
import ib.core.sa.PathRecord.Field;
import ib.core.verbs.Gid;
import ib.core.verbs.PortState;
import ib.core.verbs.Rate;
import ib.driver.soft.topology.LinkSpeed;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** The path records (IBA 15.2.5.16) of ports that share a partition: LMC 0, all reversible. */
final class PathRecords {
  private static final int LIFE_TIME = 18;
  private static final int EXACTLY = 2;
  private static final int MAX_PATHS = 1 << 16;

  /** Components that a selector compares, and components that are copied to the response. */
  private static final long NOT_COMPARED =
      Field.MTU.mask()
          | Field.MTU_SELECTOR.mask()
          | Field.RATE.mask()
          | Field.RATE_SELECTOR.mask()
          | Field.PACKET_LIFE_TIME.mask()
          | Field.PACKET_LIFE_TIME_SELECTOR.mask()
          | Field.NUMB_PATH.mask()
          | Field.PKEY.mask()
          | Field.REVERSIBLE.mask()
          | Field.TCLASS.mask()
          | Field.FLOW_LABEL.mask()
          | Field.HOP_LIMIT.mask()
          | Field.SERVICE_ID_HIGH.mask()
          | Field.SERVICE_ID_LOW.mask()
          | Field.QOS_CLASS.mask();

  private final BuiltinSm manager;
  private final Groups groups;

  PathRecords(BuiltinSm manager, Groups groups) {
    this.manager = manager;
    this.groups = groups;
  }

  /** {@return the paths that match a query; the response to a Get has the first one} */
  List<PathRecord> find(PathRecord query) {
    List<PathRecord> found = new ArrayList<>();
    long mask = query.componentMask();
    boolean group = query.has(Field.DGID) && query.gid(Field.DGID).toBytes()[0] == (byte) 0xff;
    int most = query.has(Field.NUMB_PATH) ? Math.max(1, query.value(Field.NUMB_PATH)) : MAX_PATHS;
    for (NodePort from : ends(query, mask, Field.SGID, Field.SLID)) {
      if (group) {
        PathRecord path = groups.path(query.gid(Field.DGID));
        if (path != null) {
          found.add(path.set(Field.SGID, gid(from)).set(Field.SLID, from.lid()));
        }
        continue;
      }
      int ofThis = 0;
      for (NodePort to : ends(query, mask, Field.DGID, Field.DLID)) {
        PathRecord path = path(from, to, query);
        if (path != null && ofThis < most && found.size() < MAX_PATHS) {
          query.componentMask(mask & ~NOT_COMPARED);
          if (path.matches(query)) {
            found.add(path);
            ofThis++;
          }
          query.componentMask(mask);
        }
      }
    }
    return found;
  }

  private List<NodePort> ends(PathRecord query, long mask, Field gid, Field lid) {
    return manager.endpoints().stream()
        .filter(p -> p.state() == PortState.ACTIVE)
        .filter(p -> (mask & gid.mask()) == 0 || gid(p).equals(query.gid(gid)))
        .filter(p -> (mask & lid.mask()) == 0 || p.has(query.value(lid)))
        .toList();
  }

  static Gid gid(NodePort port) {
    return new Gid(PortInfo.GID_PREFIX.of(port.info()), port.guid());
  }

  private static @Nullable PathRecord path(NodePort from, NodePort to, PathRecord query) {
    int pkey = shared(from, to, query.has(Field.PKEY) ? query.value(Field.PKEY) : 0);
    int mtu = Math.min(PortInfo.NEIGHBOR_MTU.in(from.info()), PortInfo.NEIGHBOR_MTU.in(to.info()));
    int one = rate(from);
    int other = rate(to);
    int rate = Rate.bitsPerSecond(one) < Rate.bitsPerSecond(other) ? one : other;
    boolean good =
        pkey != 0
            && selected(query, Field.MTU_SELECTOR, Field.MTU, mtu, n -> n)
            && selected(query, Field.RATE_SELECTOR, Field.RATE, rate, Rate::bitsPerSecond)
            && selected(
                query, Field.PACKET_LIFE_TIME_SELECTOR, Field.PACKET_LIFE_TIME, LIFE_TIME, n -> n);
    return !good
        ? null
        : new PathRecord()
            .set(Field.DGID, gid(to))
            .set(Field.SGID, gid(from))
            .set(Field.DLID, to.lid())
            .set(Field.SLID, from.lid())
            .set(Field.SERVICE_ID_HIGH, query.number(Field.SERVICE_ID_HIGH))
            .set(Field.SERVICE_ID_LOW, query.number(Field.SERVICE_ID_LOW))
            .set(Field.TCLASS, query.has(Field.TCLASS) ? query.value(Field.TCLASS) : 0)
            .set(Field.REVERSIBLE, 1)
            .set(Field.PKEY, pkey)
            .set(Field.MTU_SELECTOR, EXACTLY)
            .set(Field.MTU, exact(query, Field.MTU_SELECTOR, Field.MTU, mtu))
            .set(Field.RATE_SELECTOR, EXACTLY)
            .set(Field.RATE, exact(query, Field.RATE_SELECTOR, Field.RATE, rate))
            .set(Field.PACKET_LIFE_TIME_SELECTOR, EXACTLY)
            .set(Field.PACKET_LIFE_TIME, LIFE_TIME);
  }

  /** Returns a partition of both ports, one of them a full member; 0 for none (IBA 10.9.3). */
  private static int shared(NodePort a, NodePort b, int wanted) {
    for (int mine : a.pkeys()) {
      for (int its : b.pkeys()) {
        boolean same = (mine & 0x7fff) == (its & 0x7fff) && (mine & 0x7fff) != 0;
        boolean fits = wanted == 0 || (wanted & 0x7fff) == (mine & 0x7fff);
        if (same && fits && ((mine | its) & 0x8000) != 0) {
          return mine | its;
        }
      }
    }
    return 0;
  }

  static int rate(NodePort port) {
    return LinkSpeed.rate(port.info());
  }

  private static int exact(PathRecord query, Field selector, Field value, int most) {
    boolean asked = query.has(selector) && query.has(value) && query.value(selector) == EXACTLY;
    return asked ? query.value(value) : most;
  }

  /** Applies a selector (IBA 15.2.5.16): 0 greater than, 1 less than, 2 exactly, 3 largest. */
  private static boolean selected(
      PathRecord query, Field selector, Field value, int code, IntToLongFunction order) {
    if (!query.has(selector) || !query.has(value)) {
      return true;
    }
    long asked = order.applyAsLong(query.value(value));
    long is = order.applyAsLong(code);
    return switch (query.value(selector)) {
      case 0 -> is > asked;
      case 1 -> is < asked;
      case 2 ->
          is >= asked; // a path that carries more carries this; OpenSM responds in the same manner
      default -> true;
    };
  }
}
