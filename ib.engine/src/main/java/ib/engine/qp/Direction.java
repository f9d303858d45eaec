package ib.engine.qp;

/**
 * The requests of one direction of a connection that were executed without packets (D5), at the end
 * that receives them; {@link DirectState} has those of the end that sends. The counters count the
 * packets that the requests would have needed. The thread that executes a request writes both ends
 * and holds both claims; any thread may read, roughly. The thread that polls the peer does not
 * touch these lines.
 *
 * <p>It is also what a sender keeps of its peer: a receiver that has gone is not kept.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
public final class Direction extends DirectionState {
  long b0, b1, b2, b3, b4, b5, b6;

  /** Makes that of a queue pair. */
  Direction(QpCore receiver) {
    super(receiver);
  }

  /**
   * Goes on behind a request of the peer.
   *
   * @param next the sequence number of the next request
   * @param wasRead whether it was a READ
   */
  public void executed(int next, boolean wasRead) {
    psn = next;
    read = wasRead;
    unsynced++;
  }

  /** Sets all counters to 0. */
  void zero() {
    messages = 0;
    requests = 0;
    requestWords = 0;
    answers = 0;
    answerWords = 0;
  }
}
