package ib.engine.cq;

import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;

/** Decodes the words of one entry of a completion ring. Data path. */
final class CompletionEntry {
  private static final WcStatus[] STATUS = WcStatus.values();
  private static final WcOpcode[] OPCODE = WcOpcode.values();

  private CompletionEntry() {}

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
  static void read(CompletionRing r, long index, WorkCompletion wc) {
    wc.cqe(r.cqe(index));
    decode(
        wc,
        r.word(index, 1),
        r.word(index, 2),
        r.word(index, 3),
        r.word(index, 4),
        r.word(index, 5));
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
