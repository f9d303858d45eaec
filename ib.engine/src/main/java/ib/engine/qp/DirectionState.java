package ib.engine.qp;

/** The fields of a {@link Direction}, with cache lines of their own. */
abstract class DirectionState extends DirectionPadding {
  /** Whether {@link #psn} counts, and the packet way does not know it yet. */
  public boolean ahead;

  /** Whether the newest request was a READ. */
  public boolean read;

  /** The sequence number of the next request. */
  public int psn;

  /** How many requests the packet way does not know of. */
  public int unsynced;

  /** Requests that have succeeded, and took no packet. */
  long messages;

  public long requests;
  public long requestWords;
  public long answers;
  public long answerWords;

  DirectionState(QpCore receiver) {
    super(receiver);
  }
}
