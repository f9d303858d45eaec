package ib.engine.cq;

import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The eight words of an entry of a completion ring at {@code b} of its array. Data path.
 *
 * <pre>
 * 0 index + 1 when published | 1 wrId | 2 status 8, opcode 8, flags 8, sl 8, vendor error 32
 * 3 byteLen 32, immediate 32 | 4 qpn 32, srcQp 32 | 5 slid, pkeyIndex, path bits, mss, 16 each
 * 6 place of the queue pair 32, its serial 32
 * 7 index + 1 of the request in its queue, 0 when there is nothing to release
 * </pre>
 */
final class Entry {
  /** Words of an entry are {@code 1 << SHIFT}. */
  static final int SHIFT = 3;

  static final int WR_ID = 1;
  static final int WHAT = 2;
  static final int LENGTHS = 3;
  static final int NUMBERS = 4;
  static final int PATH = 5;
  static final int PLACE = 6;
  static final int END = 7;
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final WcStatus[] STATUS = WcStatus.values();
  private static final WcOpcode[] OPCODE = WcOpcode.values();

  private Entry() {}

  static boolean isPublishedAcquire(long[] w, int b, long index) {
    return (long) WORD.getAcquire(w, b) == index + 1;
  }

  static void publishRelease(long[] w, int b, long index) {
    WORD.setRelease(w, b, index + 1);
  }

  static WcStatus status(long what) {
    return STATUS[(int) what & 31];
  }

  static WcOpcode opcode(long what) {
    return OPCODE[(int) (what >>> 8) & 15];
  }

  static int flags(long what) {
    return (int) (what >>> 16) & 0xff;
  }

  /** Copies an entry out of its ring; it counts when the entry is taken afterwards. */
  static void read(long[] w, int b, WorkCompletion wc) {
    decode(wc, w[b + WR_ID], w[b + WHAT], w[b + LENGTHS], w[b + NUMBERS], w[b + PATH]);
  }

  /** Whether two entries are of one work queue. */
  static boolean isSameQueue(long[] w, int b, int c) {
    return w[b + PLACE] == w[c + PLACE]
        && opcode(w[b + WHAT]).isReceive() == opcode(w[c + WHAT]).isReceive();
  }

  static void decode(
      WorkCompletion wc, long wrId, long what, long lengths, long numbers, long path) {
    wc.wrId(wrId)
        .status(status(what))
        .opcode(opcode(what))
        .wcFlags(flags(what))
        .sl((int) (what >>> 24) & 0xff)
        .vendorError((int) (what >>> 32))
        .byteLen((int) lengths)
        .immData((int) (lengths >>> 32))
        .qpn((int) numbers)
        .srcQp((int) (numbers >>> 32))
        .slid((int) path & 0xffff)
        .pkeyIndex((int) (path >>> 16) & 0xffff)
        .dlidPathBits((int) (path >>> 32) & 0xffff)
        .mss((int) (path >>> 48));
  }
}
