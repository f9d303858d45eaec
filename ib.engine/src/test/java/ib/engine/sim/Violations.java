package ib.engine.sim;

import static ib.engine.sim.Request.Op.ATOMIC_WRITE;
import static ib.engine.sim.Request.Op.COMPARE_SWAP;
import static ib.engine.sim.Request.Op.FETCH_ADD;
import static ib.engine.sim.Request.Op.READ;
import static ib.engine.sim.Request.Op.WRITE;

import ib.core.verbs.QueuePair;
import java.util.SplittableRandom;

/** Requests that the peer must refuse: it may neither give nor change a byte for them. */
final class Violations {
  private static final Request.Op[] OPS = {READ, WRITE, FETCH_ADD, COMPARE_SWAP, ATOMIC_WRITE};

  private final Endpoint from;
  private final SplittableRandom random;

  Violations(Endpoint from) {
    this.from = from;
    this.random = from.sim.random;
  }

  static Request make(long id, SplittableRandom random, Link link) {
    Request.Op op = OPS[random.nextInt(OPS.length)];
    boolean eight = op != READ && op != WRITE;
    int length = eight ? Long.BYTES : 1 + random.nextInt(link.sizeMost);
    int offset = Pattern.offset(random, length);
    Request r = new Request(id, op, length, offset, (int) (id % link.depth), 0);
    r.bad = true;
    return r;
  }

  void post(QueuePair qp, Request r) {
    Endpoint peer = from.peer;
    switch (random.nextInt(8)) {
      case 0 -> post(qp, r, peer.forbidden.mr.rkey(), peer.forbidden.mr.iova());
      case 1 -> {
        Region region = right(r.op);
        post(qp, r, region.mr.rkey() ^ 1 << random.nextInt(32), region.mr.iova());
      }
      case 2 -> {
        Region region = wrong(r.op);
        post(qp, r, region.mr.rkey(), region.mr.iova());
      }
      case 3, 4, 5, 6 -> key(qp, r);
      default -> {
        Region region = right(r.op);
        post(qp, r, region.mr.rkey(), region.mr.iova() + region.mr.length());
      }
    }
  }

  /** Through a key that posted requests had opened: dead, another's, or beyond its end. */
  private void key(QueuePair qp, Request r) {
    Grant g = from.peer.grants[random.nextInt(from.peer.grants.length)];
    if (random.nextBoolean() && g.state == Grant.State.OPEN) {
      post(qp, r, g.key, g.end());
      return;
    }
    for (Endpoint other : from.peer.node.endpoints.values()) {
      for (Grant foreign : other.grants) {
        boolean another = !other.equals(from.peer) && foreign.kind == Grant.Kind.WINDOW_2;
        if (another && foreign.state == Grant.State.OPEN && random.nextBoolean()) {
          post(qp, r, foreign.key, foreign.end() - foreign.length());
          return;
        }
      }
    }
    post(qp, r, g.dead(), from.peer.target.mr.iova());
  }

  private Region right(Request.Op op) {
    return switch (op) {
      case READ -> from.peer.source;
      case FETCH_ADD, COMPARE_SWAP -> from.peer.node.words.region;
      default -> from.peer.target;
    };
  }

  /** Memory that gives other rights than those needed. */
  private Region wrong(Request.Op op) {
    return op == READ || op.isAtomic() ? from.peer.target : from.peer.source;
  }

  private static void post(QueuePair qp, Request r, int rkey, long address) {
    switch (r.op) {
      case READ -> qp.wrRdmaRead(rkey, address);
      case WRITE -> qp.wrRdmaWrite(rkey, address);
      case FETCH_ADD -> qp.wrAtomicFetchAdd(rkey, address, 1);
      case COMPARE_SWAP -> qp.wrAtomicCmpSwp(rkey, address, 0, 1);
      default -> qp.wrAtomicWrite(rkey, address, 1);
    }
  }
}
