package ib.engine.qp;

import ib.engine.cq.SoftCq;
import org.jspecify.annotations.Nullable;

/**
 * The fields that {@code DirectPath} keeps for the requests of one send queue. The counters count
 * the packets that the requests would have needed, so counters do not depend on the way of a
 * message. Only the thread that holds the queue pair's claim writes; any thread may read the
 * counters, roughly. These fields have cache lines of their own, which the thread that polls the
 * peer does not touch.
 */
abstract class DirectState extends DirectPadding {
  /** Bytes of a request at most, so that one call is bounded. */
  public final long directMost;

  /** Requests that have succeeded, on whichever way. */
  long directMessages;

  public long directRequests;
  public long directRequestWords;
  public long directAnswers;
  public long directAnswerWords;

  /** The sequence number of the next request. */
  public int directPsn;

  /**
   * Messages since the peer's last answer; after a run those that a response by packets answers.
   */
  public int directUnacknowledged;

  /** Whether {@link #directPsn} counts, and the packet way does not know it yet. */
  public boolean directAhead;

  /** Whether it was this run that claimed {@link #directPeer}, and not the run list before it. */
  public boolean directClaimed;

  /** The peer, claimed while a run lasts. */
  public @Nullable QpCore directPeer;

  /** Makes that of a queue pair whose requests are of so many bytes at most. */
  DirectState(SoftCq sendCq, SoftCq recvCq, long most) {
    super(sendCq, recvCq);
    directMost = most;
  }
}
