package ib.engine.port;

import ib.core.verbs.Gid;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.Limit;
import ib.engine.link.HcaCounter;
import ib.engine.link.Link;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.QpCore;
import ib.engine.run.RunList;
import ib.engine.wire.Packet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which queue pairs are attached to which multicast group (IBA vol. 1 section 10.5). A queue pair
 * belongs to a group on the port that it had when it attached. The port's wire joins the group with
 * the first queue pair and leaves it with the last. Readers are lock-free; attach and detach
 * replace what they change.
 *
 * <p>Loopback: a packet goes to every attached queue pair of the sending device too, the sender's
 * own included, as hardware does; IPoIB drops its own by source (RFC 4391).
 */
public final class Multicast {
  private static final int BUCKETS = 256;

  private record Group(Link port, Gid gid, int mlid, QpCore[] members, @Nullable Group next) {
    @SuppressWarnings("ReferenceEquality") // a port is itself
    boolean is(Link p, long high, long low) {
      return gid.low() == low && gid.high() == high && port == p;
    }
  }

  private final int groupsMost;
  private final int membersMost;
  private volatile @Nullable Group[] buckets = new @Nullable Group[BUCKETS];
  private int groups;

  Multicast(HcaConfig config) {
    this.groupsMost = (int) config.limit(Limit.MAX_MCAST_GRP);
    this.membersMost = (int) config.limit(Limit.MAX_MCAST_QP_ATTACH);
  }

  private static int bucket(long high, long low) {
    long h = (high ^ low) * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 56);
  }

  private @Nullable Group find(Link port, long high, long low) {
    Group g = buckets[bucket(high, low)];
    while (g != null && !g.is(port, high, low)) {
      g = g.next;
    }
    return g;
  }

  /**
   * Attaches a queue pair.
   *
   * @param qp the queue pair
   * @param port its port
   * @param gid the group
   * @param mlid its LID, 0 where there is none
   * @throws IbExistsException when it is attached already
   * @throws IbNoMemoryException when there are too many groups, or members of this group
   */
  public synchronized void attach(QpCore qp, Link port, Gid gid, int mlid) {
    Group g = find(port, gid.high(), gid.low());
    QpCore[] members = g == null ? new QpCore[0] : g.members;
    if (index(members, qp) >= 0) {
      throw new IbExistsException("attachMulticast " + gid, "attached already", "detach first");
    }
    if (members.length >= membersMost || (g == null && groups >= groupsMost)) {
      throw new IbNoMemoryException(
          "attachMulticast " + gid,
          members.length + " members, " + groups + " groups",
          "at most " + membersMost + " members and " + groupsMost + " groups");
    }
    if (g == null) {
      port.wire().join(gid, mlid); // may refuse: nothing has changed yet
    }
    QpCore[] more = Arrays.copyOf(members, members.length + 1);
    more[members.length] = qp;
    replace(port, gid, g == null ? mlid : g.mlid, more);
  }

  /**
   * Detaches a queue pair.
   *
   * @param qp the queue pair
   * @param gid the group
   * @throws IbInvalidException when it is not attached
   */
  public synchronized void detach(QpCore qp, Gid gid) {
    for (Group g = buckets[bucket(gid.high(), gid.low())]; g != null; g = g.next) {
      if (g.gid.equals(gid) && index(g.members, qp) >= 0) {
        leave(qp, g);
        return;
      }
    }
    throw new IbInvalidException("detachMulticast " + gid, "not attached", "attach first");
  }

  /** Detaches a queue pair from all its groups, because it is being destroyed. */
  synchronized void forget(QpCore qp) {
    if (groups == 0) {
      return;
    }
    for (Group bucket : buckets) {
      for (Group g = bucket; g != null; g = g.next) {
        if (index(g.members, qp) >= 0) {
          leave(qp, g);
        }
      }
    }
  }

  private void leave(QpCore qp, Group g) {
    replace(g.port, g.gid, g.mlid, without(g.members, index(g.members, qp)));
    if (g.members.length == 1) {
      g.port.wire().leave(g.gid, g.mlid);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a queue pair is itself
  private static int index(QpCore[] members, QpCore qp) {
    for (int i = 0; i < members.length; i++) {
      if (members[i] == qp) {
        return i;
      }
    }
    return -1;
  }

  private static QpCore[] without(QpCore[] members, int i) {
    QpCore[] fewer = new QpCore[members.length - 1];
    System.arraycopy(members, 0, fewer, 0, i);
    System.arraycopy(members, i + 1, fewer, i, fewer.length - i);
    return fewer;
  }

  private void replace(Link port, Gid gid, int mlid, QpCore[] members) {
    int b = bucket(gid.high(), gid.low());
    Group chain = null;
    groups += members.length > 0 ? 1 : 0;
    for (Group g = buckets[b]; g != null; g = g.next) {
      if (g.is(port, gid.high(), gid.low())) {
        groups--;
      } else {
        chain = new Group(g.port, g.gid, g.mlid, g.members, chain);
      }
    }
    if (members.length > 0) {
      chain = new Group(port, gid, mlid, members, chain);
    }
    @Nullable Group[] changed = buckets.clone();
    changed[b] = chain;
    buckets = changed;
  }

  /**
   * Gives a copy of a packet to every member that is attached on a port.
   *
   * @param hca where drops are counted
   * @param port where it came in, or whence it is sent
   * @param packet the packet; released here unless it is kept
   * @param keep whether the caller goes on with the packet
   * @param run the context
   */
  void deliver(HcaCore hca, Link port, Packet packet, boolean keep, RunList run) {
    Group g = packet.global ? find(port, packet.dgidHigh, packet.dgidLow) : null;
    if (g == null) {
      if (!keep) {
        hca.tally().count(port.number(), HcaCounter.DROP_NO_GROUP);
        packet.release(run);
      }
      return;
    }
    QpCore[] members = g.members;
    for (int i = 0; i < members.length; i++) {
      boolean original = !keep && i == members.length - 1;
      Packet p = original ? packet : packet.replicate();
      if (p == null) {
        hca.tally().count(port.number(), HcaCounter.DROP_REPLICA);
      } else {
        members[i].deliver(p, run);
      }
    }
  }
}
