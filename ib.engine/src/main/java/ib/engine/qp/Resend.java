package ib.engine.qp;

import ib.core.wire.Psn;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;

/**
 * Finds the request from which packets are sent again, and the offset in it. Only the claim holder
 * may call these methods.
 */
final class Resend {
  private static final int NONE = -1;

  private Resend() {}

  /**
   * Prepares all packets from a sequence number on (go-back-N).
   *
   * @return index of the first request, negative when it is none of them
   */
  static long from(SendRing ring, long head, long started, int psn, int mtuShift) {
    long first = NONE;
    for (long i = head; i < started; i++) {
      SendWqe w = ring.at(i);
      int d = Psn.diff(psn, w.psnFirst);
      if (first != NONE) {
        w.done = 0;
      } else if (d < w.psnCount) {
        first = i;
        if ((Verb.what(w.opcode) & Verb.ANSWERED) == 0) {
          w.done = (long) Math.max(0, d) << mtuShift;
        }
      }
    }
    return first;
  }

  /**
   * Prepares the last packet.
   *
   * @return index of its request, negative when there is none
   */
  static long last(SendRing ring, long head, long started, int mtuShift) {
    for (long i = started - 1; i >= head; i--) {
      SendWqe w = ring.at(i);
      if (w.psnCount > 0) {
        w.done = (long) (w.psnCount - 1) << mtuShift;
        return i;
      }
    }
    return NONE;
  }

  /** Passes by what was acknowledged of a send or write. */
  static void skip(SendWqe w, int una, int mtuShift) {
    int d = Psn.diff(una, w.psnFirst);
    if (d > 0 && (Verb.what(w.opcode) & (Verb.SEND | Verb.WRITE)) != 0) {
      w.done = Math.max(w.done, (long) d << mtuShift);
    }
  }

  /** {@return index of the request that a sequence number belongs to, negative for none} */
  static long holder(SendRing ring, long head, long started, int psn) {
    for (long i = head; i < started; i++) {
      SendWqe w = ring.at(i);
      int d = Psn.diff(psn, w.psnFirst);
      if (d >= 0 && d < w.psnCount) {
        return i;
      }
    }
    return NONE;
  }

  /** {@return the sequence number of the response that an answered request waits for} */
  static int expected(SendWqe w, int mtuShift) {
    boolean read = (Verb.what(w.opcode) & Verb.READ) != 0;
    return read ? Psn.add(w.psnFirst, (int) (w.done >>> mtuShift)) : w.psnFirst;
  }
}
