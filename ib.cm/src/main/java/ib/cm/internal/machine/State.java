package ib.cm.internal.machine;

/** The states of a connection (IBA 12.9.7). */
public enum State {
  /** Not begun. */
  IDLE,
  /** Active: the REQ waits for its answer. */
  REQ_SENT,
  /** Active: the peer needs time for the REQ. */
  MRA_REQ_RCVD,
  /** Active: the owner moves the queue pair. */
  REP_RCVD,
  /** Active: the same, and the peer knows that it takes longer. */
  MRA_REP_SENT,
  /** Passive: the owner decides. */
  REQ_RCVD,
  /** Passive: the same, and the peer knows that it takes longer. */
  MRA_REQ_SENT,
  /** Passive: the REP waits for its answer. */
  REP_SENT,
  /** Passive: the peer needs time for the REP. */
  MRA_REP_RCVD,
  /** Both sides are ready. */
  ESTABLISHED,
  /** The DREQ waits for its answer. */
  DREQ_SENT,
  /** Ended; late messages of the connection may still come. */
  TIMEWAIT,
  /** Forgotten. */
  GONE;

  /** {@return whether the peer has asked for the connection, and its handshake is not over} */
  boolean isHalfOpen() {
    return switch (this) {
      case REQ_RCVD, MRA_REQ_SENT, REP_SENT, MRA_REP_RCVD -> true;
      default -> false;
    };
  }
}
