package ib.engine.sim;

import static ib.engine.sim.Request.Op.ATOMIC_WRITE;
import static ib.engine.sim.Request.Op.COMPARE_SWAP;
import static ib.engine.sim.Request.Op.FETCH_ADD;
import static ib.engine.sim.Request.Op.FLUSH;
import static ib.engine.sim.Request.Op.INVALIDATE;
import static ib.engine.sim.Request.Op.READ;
import static ib.engine.sim.Request.Op.SEND;
import static ib.engine.sim.Request.Op.SEND_IMM;
import static ib.engine.sim.Request.Op.SEND_INV;
import static ib.engine.sim.Request.Op.WRITE;
import static ib.engine.sim.Request.Op.WRITE_IMM;

import ib.core.verbs.QpType;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes up the requests of an endpoint. */
final class Requests {
  private static final Request.Op[] UNRELIABLE = {SEND, SEND_IMM, WRITE, WRITE_IMM};
  private static final Request.Op[] LARGE = {SEND, SEND_IMM, WRITE, WRITE_IMM, READ};
  // INVALIDATE stands for whatever changes a key here
  private static final Request.Op[] RELIABLE = {
    SEND,
    SEND_IMM,
    SEND_INV,
    WRITE,
    WRITE,
    WRITE_IMM,
    READ,
    READ,
    ATOMIC_WRITE,
    FETCH_ADD,
    FETCH_ADD,
    COMPARE_SWAP,
    COMPARE_SWAP,
    FLUSH,
    INVALIDATE,
    INVALIDATE
  };

  private final Endpoint from;
  private final Link link;
  private final SplittableRandom random;
  private long ids;

  Requests(Endpoint from) {
    this.from = from;
    this.link = from.link;
    this.random = from.sim.random;
  }

  long made() {
    return ids;
  }

  Request next() {
    long id = ++ids;
    if (link.breaks() && random.nextInt(100) == 0) {
      return Violations.make(id, random, link);
    }
    Request.Op op = operation();
    Grant grant = null;
    Word word = null;
    switch (op) {
      case SEND_INV -> grant = revocable();
      case INVALIDATE -> grant = changeable();
      case FETCH_ADD, COMPARE_SWAP -> word = from.peer.node.words.any(op == FETCH_ADD);
      default -> {} // needs nothing
    }
    if (op == INVALIDATE && grant != null) {
      op = grant.next();
    } else if ((op == SEND_INV || op == INVALIDATE) && grant == null) {
      op = SEND;
    } else if (op.isAtomic() && word == null) {
      op = READ;
    }
    Request r = request(id, op);
    r.grant = grant;
    r.word = word;
    return r;
  }

  private @Nullable Grant revocable() {
    for (Grant g : from.peer.grants) {
      if (g.revocable() && random.nextBoolean()) {
        return g;
      }
    }
    return null;
  }

  private @Nullable Grant changeable() {
    for (Grant g : from.grants) {
      if (g.changeable(random.nextInt(8) == 0) && random.nextBoolean()) {
        return g;
      }
    }
    return null;
  }

  private Request request(long id, Request.Op op) {
    int length =
        switch (op) {
          case REGISTER, BIND, INVALIDATE -> 0;
          case FETCH_ADD, COMPARE_SWAP, ATOMIC_WRITE -> Long.BYTES;
          default -> length();
        };
    int slot = (int) (id % link.depth);
    int offset =
        op == READ
            ? from.peer.sourceOffset + random.nextInt(link.sizeMost - length + 1)
            : Pattern.offset(random, length);
    int imm = from.reliable() ? random.nextInt() : (int) id;
    Request r = new Request(id, op, length, offset, slot, imm);
    r.headed = !from.reliable();
    if (link.type == QpType.UD && random.nextInt(3) == 0) {
      from.sim.group.send(r);
    }
    return r;
  }

  private Request.Op operation() {
    Request.Op[] some =
        switch (link.type) {
          case RC -> link.profile.bulk() ? LARGE : RELIABLE;
          case UC -> UNRELIABLE;
          default -> new Request.Op[] {SEND, SEND_IMM};
        };
    return some[random.nextInt(some.length)];
  }

  private int length() {
    int least = from.reliable() ? 0 : Long.BYTES;
    int most = link.sizeMost;
    boolean bulk = link.profile.bulk();
    int n =
        switch (random.nextInt(bulk ? 4 : 12)) {
          case 0 -> most;
          case 1 -> random.nextInt(most + 1);
          case 2, 3 ->
              bulk
                  ? most - random.nextInt(4096)
                  : random.nextInt(Math.min(most, 8 * link.mtuBytes()) + 1);
          case 4, 5, 6 -> random.nextInt(Math.min(most, 2 * link.mtuBytes()) + 1);
          case 7 -> Math.min(most, link.mtuBytes() * (1 + random.nextInt(3)));
          case 8 -> 0;
          default -> random.nextInt(Poster.MAX_INLINE + 1);
        };
    return Math.max(least, n);
  }
}
