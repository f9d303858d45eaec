package ib.engine.qp;

/** The fields of a {@link Direction}, with cache lines of their own. */
abstract class DirectionState extends DirectionPadding {
  /** Whether {@link #psn} counts, and the packet way does not know it yet. */
  boolean ahead;

  /** Whether the newest request was a READ. */
  boolean read;

  /** The sequence number of the next request. */
  int psn;

  /** How many requests the packet way does not know of. */
  int unsynced;

  /** Requests that have succeeded, and took no packet. */
  long messages;

  long requests;
  long requestWords;
  long answers;
  long answerWords;

  DirectionState(QpCore receiver) {
    super(receiver);
  }
}
