package ib.core.internal.mad;

/** What a port's MAD layer counts. */
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
  RMPP_ABORTS
}
