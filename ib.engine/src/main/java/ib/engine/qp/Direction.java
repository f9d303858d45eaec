package ib.engine.qp;

import ib.engine.link.HcaCounter;
import ib.engine.link.Traffic;

/**
 * The requests of one direction of a connection that were executed without packets (D5), at one of
 * its ends. The counters count the packets that the requests would have needed, so counters do not
 * depend on the path of a message. The thread that executes a request writes both ends and holds
 * both claims; any thread may read, roughly. The thread that polls the peer does not touch these
 * lines.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
class Direction extends DirectionState {
  long b0, b1, b2, b3, b4, b5, b6;

  /**
   * Goes on behind a request of the peer.
   *
   * @param next the sequence number of the next request
   * @param wasRead whether it was a READ
   */
  void executed(int next, boolean wasRead) {
    psn = next;
    read = wasRead;
    unsynced++;
  }

  /** Sets all counters to 0. */
  void clear() {
    messages = 0;
    requests = 0;
    requestWords = 0;
    answers = 0;
    answerWords = 0;
  }

  /** {@return what a counter has more because requests were sent here, or received} */
  static long share(Direction sent, Direction received, HcaCounter counter) {
    return switch (counter) {
      case SENT_PKTS -> sent.requests + received.answers;
      case RCVD_PKTS -> sent.answers + received.requests;
      case RDMA_SENDS -> sent.messages;
      case RDMA_RECVS -> received.messages;
      default -> 0;
    };
  }

  /**
   * {@return the same of a place of what its port counts; both ways are on one service level, that
   * of the queue pair's route}
   */
  static long share(Direction sent, Direction received, int place, int sl) {
    if (place == Traffic.XMIT_PKTS.ordinal()) {
      return sent.requests + received.answers;
    } else if (place == Traffic.RCV_PKTS.ordinal()) {
      return sent.answers + received.requests;
    } else if (place == Traffic.xmitData(sl)) {
      return sent.requestWords + received.answerWords;
    } else if (place == Traffic.rcvData(sl)) {
      return sent.answerWords + received.requestWords;
    }
    return 0;
  }
}
