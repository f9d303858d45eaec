package ib.cm.internal.machine;

/** Why the machine has dropped a well-formed message. */
public enum Drop {
  /** The message does not come from QP1. */
  SOURCE_QP,
  /** The datagram has no way back. */
  UNANSWERABLE,
  /** The message names no connection of this port. */
  UNKNOWN_CONNECTION,
  /** The peer's name of the connection, or the queue pair number, is not that of the connection. */
  MISMATCH,
  /** The message does not come from the peer of the connection. */
  FOREIGN_SOURCE,
  /** The state of the connection has no use for the message. */
  OUT_OF_STATE,
  /** A question that waits for its answer already has come again. */
  DUPLICATE,
  /** The backlog of the listener is full, or the source has its share of it. */
  BACKLOG,
  /** The source has as many connections under way as one may have, or all sources have (API-9). */
  HALF_OPEN,
  /** The source has had its answers or its connections for this second already (CM-7, API-9). */
  RATE,
  /** A message that no request of this port has asked for. */
  UNASKED
}
