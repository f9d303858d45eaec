package ib.engine.packet.send;

import ib.core.wire.Psn;
import ib.engine.qp.SendState;

/**
 * The parts in which a long read is asked for on a medium that segments. A responder sends the
 * answer to a read at once, however long the answer is, so only the requester can see to it that no
 * more is owed than its window, which a socket's buffer can hold. Each part but the last has half a
 * full window of packets, and is a read request of its own (after a loss, IBA vol. 1 section
 * 9.7.5.2.6, the rest of a read is asked for in the same way); it counts as one of those that the
 * peer allows to be outstanding. A window that losses have made smaller than a part has one part.
 * Only the thread that holds the queue pair's claim may call these methods.
 */
final class ReadParts {
  private ReadParts() {}

  /**
   * {@return where the part that begins at a sequence number of the request at the cursor ends, at
   * {@code end} at the latest; what is no read has one packet}
   */
  static int end(Requester r, int psn, int end) {
    int part = r.readPart();
    int cut = Psn.add(psn, part - Psn.diff(psn, r.psnFirst(r.cursor)) % part);
    return r.isInParts(r.cursor) && Psn.diff(cut, end) < 0 ? cut : end;
  }

  /** {@return whether so many packets of the oldest request, a read, end with a part} */
  static boolean endAfter(SendState sends, long packets) {
    return sends.isInParts(sends.head) && packets % sends.readPart() == 0;
  }

  /** {@return whether the next part must wait for answers that are owed} */
  static boolean waits(Requester r, int psn) {
    return r.isInParts(r.cursor)
        && Psn.diff(psn, r.una()) >= r.windowSize()
        && AckRequests.underWay(r.qp);
  }
}
