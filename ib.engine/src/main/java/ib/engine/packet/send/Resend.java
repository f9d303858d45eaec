package ib.engine.packet.send;

import ib.core.wire.Psn;
import ib.engine.qp.SendState;
import ib.engine.qp.Verb;

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
  static long from(SendState sends, long head, long started, int psn, int mtuShift) {
    long first = NONE;
    for (long i = head; i < started; i++) {
      int d = Psn.diff(psn, sends.psnFirst(i));
      if (first != NONE) {
        sends.done(i, 0);
      } else if (d < sends.psnCount(i)) {
        first = i;
        if ((what(sends, i) & Verb.ANSWERED) == 0) {
          sends.done(i, (long) Math.max(0, d) << mtuShift);
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
  static long last(SendState sends, long head, long started, int mtuShift) {
    for (long i = started - 1; i >= head; i--) {
      int count = sends.psnCount(i);
      if (count > 0) {
        sends.done(i, (long) (count - 1) << mtuShift);
        return i;
      }
    }
    return NONE;
  }

  /** Passes by what was acknowledged of a send or write. */
  static void skip(SendState sends, long index, int una, int mtuShift) {
    int d = Psn.diff(una, sends.psnFirst(index));
    if (d > 0 && (what(sends, index) & (Verb.SEND | Verb.WRITE)) != 0) {
      sends.done(index, Math.max(sends.done(index), (long) d << mtuShift));
    }
  }

  /** {@return index of the request that a sequence number belongs to, negative for none} */
  static long holder(SendState sends, long head, long started, int psn) {
    for (long i = head; i < started; i++) {
      int d = Psn.diff(psn, sends.psnFirst(i));
      if (d >= 0 && d < sends.psnCount(i)) {
        return i;
      }
    }
    return NONE;
  }

  /** {@return the sequence number of the response that an answered request waits for} */
  static int expected(SendState sends, long index, int mtuShift) {
    int first = sends.psnFirst(index);
    boolean read = (what(sends, index) & Verb.READ) != 0;
    return read ? Psn.add(first, (int) (sends.done(index) >>> mtuShift)) : first;
  }

  private static int what(SendState sends, long index) {
    return Verb.what(sends.slots.opcode(sends.place(index)));
  }
}
