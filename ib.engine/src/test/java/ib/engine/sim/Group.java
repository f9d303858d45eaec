package ib.engine.sim;

import ib.core.verbs.Gid;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** A multicast group: who belongs to it, and what was sent to it. */
final class Group {
  static final int QPN = 0xFFFFFF;
  private static final long TAG = 1L << 62;
  private static final int MLID = 0xC001;
  private static final Gid GID = new Gid(0xff12_0000_0000_0000L, 0x42);

  private final Set<Endpoint> members = new LinkedHashSet<>();
  private final Map<Endpoint, Long> left = new HashMap<>(); // what was the last message then
  private final Map<Long, Request> sent = new HashMap<>();
  private final Map<Long, Set<Endpoint>> received = new HashMap<>();

  Gid gid() {
    return GID;
  }

  int mlid() {
    return MLID;
  }

  void join(Endpoint e) {
    if (members.add(e)) {
      e.qp.attachMulticast(GID, MLID);
    } else {
      leave(e);
    }
  }

  void leave(Endpoint e) {
    if (members.remove(e)) {
      e.qp.detachMulticast(GID, MLID);
      left.put(e, (long) sent.size());
    }
  }

  void send(Request r) {
    r.tag = TAG + sent.size() + 1;
    sent.put(r.tag, r);
  }

  static boolean isTag(long tag) {
    return (tag & TAG) != 0;
  }

  /** {@return the request that arrived at an endpoint; a member since the request was sent} */
  Request receive(Endpoint at, long tag, boolean twice) {
    Request r = sent.get(tag);
    if (r == null) {
      throw new SimFailure(at + ": a multicast message arrived that no endpoint sent: " + tag);
    }
    if (!members.contains(at) && left.getOrDefault(at, 0L) < tag - TAG) {
      throw new SimFailure(at + ": " + r + " arrived, and it is not in the group");
    }
    if (!received.computeIfAbsent(tag, t -> new LinkedHashSet<>()).add(at) && !twice) {
      throw new SimFailure(at + ": " + r + " arrived twice");
    }
    at.sim.did("multicast");
    return r;
  }
}
