package ib.engine.qp;

import ib.engine.link.HcaCounter;
import ib.engine.link.Traffic;

/**
 * The packet counters of requests that were executed without packets (D5), for one side of a queue
 * pair. They count the packets that the requests would have needed, so counters do not depend on
 * the path of a message. Written by the claim holder; any thread may read the sum.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding: each side has cache lines of its own
final class DirectTally {
  long a0, a1, a2, a3, a4, a5, a6;
  long messages;
  long requests;
  long requestWords;
  long answers;
  long answerWords;
  long b0, b1, b2, b3, b4, b5, b6;

  void clear() {
    messages = 0;
    requests = 0;
    requestWords = 0;
    answers = 0;
    answerWords = 0;
  }

  /** {@return what a counter has more because requests were sent here, or received} */
  static long share(DirectTally sent, DirectTally received, HcaCounter counter) {
    return switch (counter) {
      case SENT_PKTS -> sent.requests + received.answers;
      case RCVD_PKTS -> sent.answers + received.requests;
      case RDMA_RECVS -> received.messages;
      default -> 0;
    };
  }

  /**
   * {@return the same of a place of what its port counts; both ways are on one service level, that
   * of the queue pair's route}
   */
  static long share(DirectTally sent, DirectTally received, int place, int sl) {
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
