package ib.engine.verbs;

import ib.core.verbs.Cqe;
import ib.core.verbs.PostStatus;
import ib.core.verbs.RecvWr;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SlotRing;
import org.jspecify.annotations.Nullable;

/** Posting receives, to a queue pair's own queue or a shared one (S7). Data path. */
final class ReceivePost {
  private ReceivePost() {}

  static int one(
      ReceiveRing ring, long wrId, @Nullable Cqe cqe, int lkey, long address, int length) {
    if (ring.sgeMost() == 0 || length < 0) {
      return PostStatus.INVALID;
    }
    long index = ring.claim(1);
    if (index < 0) {
      return refusal(index);
    }
    ring.post(index, wrId, cqe, lkey, address, length);
    return settled(ring, index);
  }

  static int list(ReceiveRing ring, RecvWr first) {
    int n = 0;
    for (RecvWr wr = first; wr != null; wr = wr.next()) {
      if (wr.sgeCount() > ring.sgeMost() || n == ring.capacity()) {
        first.badWr(wr);
        return wr.sgeCount() > ring.sgeMost() ? PostStatus.INVALID : PostStatus.QUEUE_FULL;
      }
      n++;
    }
    long index = ring.claim(n);
    if (index < 0) {
      first.badWr(index == SlotRing.FULL ? full(ring, first) : first);
      return refusal(index);
    }
    first.badWr(null);
    RecvWr wr = first;
    for (int i = 0; i < n; i++) {
      wr = ring.post(index++, wr);
    }
    if (ring.sealed()) {
      for (int i = n; i > 0; i--) {
        if (ring.retract(index - i)) {
          return PostStatus.GONE;
        }
      }
    }
    return PostStatus.OK;
  }

  /** The first request that does not fit at this moment. */
  private static RecvWr full(ReceiveRing ring, RecvWr first) {
    RecvWr wr = first;
    for (int room = ring.room(); room > 0; room--) {
      RecvWr next = wr.next();
      if (next == null) {
        break;
      }
      wr = next;
    }
    return wr;
  }

  private static int settled(ReceiveRing ring, long index) {
    return ring.sealed() && ring.retract(index) ? PostStatus.GONE : PostStatus.OK;
  }

  static int refusal(long claim) {
    return claim == SlotRing.FULL ? PostStatus.QUEUE_FULL : PostStatus.GONE;
  }
}
