package ib.core.internal.mad;

/** The counters of a port's MAD layer. */
enum Counter {
  SENT,
  SEND_ERRORS,
  RECEIVED,
  RECEIVE_ERRORS,
  MALFORMED,
  UNROUTED,
  NO_AGENT,
  LATE,
  TIMEOUTS,
  RETRIES,
  DRIVER_REPLIES,
  RMPP_SEGMENTS,
  RMPP_DUPLICATES,
  RMPP_RETRANSMITS,
  RMPP_ABORTS,
  RMPP_NO_ROOM,
  NO_ROOM
}
