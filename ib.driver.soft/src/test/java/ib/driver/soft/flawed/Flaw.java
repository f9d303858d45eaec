package ib.driver.soft.flawed;

/** What can be wrong with a device, and the case of the suite that must catch it. */
public enum Flaw {
  /** Nothing: the disguise itself does no harm. */
  NONE(""),
  /** Completions of one queue come in the wrong order. */
  WRONG_ORDER("DATA-377"),
  /** What one call polls comes in the wrong order (S19). */
  WRONG_ORDER_IN_A_CALL("DATA-458"),
  /** A flushed request now and then never completes. */
  LOST_FLUSH("FLUSH-001"),
  /** A flushed receive is told twice. */
  FLUSHED_TWICE("FLUSH-001"),
  /** Every completion is told twice. */
  TOLD_TWICE("DATA-003"),
  /** Two posters at once post the same request twice and lose the other (S13). */
  NOT_REENTRANT("PAIR-151"),
  /** The handler is called by two threads at once (S23, S24). */
  TWO_HANDLERS("CALL-041"),
  /** The handler is called on the stack of the post (S20). */
  HANDLER_IN_CHAIN("CALL-003"),
  /** Arming again inside the handler is forgotten now and then (S24, B7). */
  LOST_WAKE_UP("CALL-041"),
  /** Completions that wait are never reported (B7). */
  NO_MISSED_EVENTS("CALL-024"),
  /** Everything counts as solicited. */
  SOLICITED_IGNORED("CALL-026"),
  /** Immediate data does not arrive. */
  NO_IMMEDIATE("DATA-009"),
  /** The length of what was received is wrong. */
  WRONG_LENGTH("DATA-002"),
  /** A remote access error is told as a general one. */
  WRONG_STATUS("ERR-001"),
  /** Unsignaled requests complete, too. */
  SIGNALS_ALL("DATA-351"),
  /** Memory is open to the peer whatever its rights. */
  RIGHTS_IGNORED("ERR-016"),
  /** Requests are accepted in any state, and lost. */
  POSTS_IN_RESET("POST-051"),
  /** A full queue is an exception (D3). */
  FULL_THROWS("POST-003"),
  /** Only what fits of a list is posted. */
  HALF_A_LIST("POST-003"),
  /** Inline data is read when it is sent, not when it is posted. */
  INLINE_LATE("DATA-331"),
  /** Large sends are cut to another size than was asked for. */
  MSS_IGNORED("UD-041"),
  /** A closed queue pair still counts. */
  LEAKS_QPS("LIMIT-003"),
  /** A closed queue answers as an empty one. */
  CLOSED_IS_EMPTY("LIFE-032"),
  /** The attributes of a queue pair are not told. */
  FORGETS_ATTRIBUTES("STATE-031"),
  /** A new state is believed without a look at whether it was reached. */
  STATE_NOT_CHANGED("STATE-001"),
  /** The state of the port is read once. */
  STALE_PORT("EVENT-023"),
  /** A completion does not tell its queue pair. */
  NO_QPN("DATA-002"),
  /** Close of a queue pair flushes nothing (B20). */
  NO_FLUSH_ON_CLOSE("FLUSH-004"),
  /** Now and then the handler is called on the stack of the post (S20). */
  HANDLER_IN_CHAIN_AT_TIMES("CALL-051"),
  /** The event handler of a queue pair is called on the stack of modify (S20). */
  EVENT_IN_CHAIN("EVENT-004"),
  /** Making an address handle parks, as one does that resolves an address (S2). */
  PARKS_IN_CREATE_AH("CTX-001"),
  /** Posting parks for a moment (S6). */
  PARKS_IN_POST("CTX-005"),
  /** Posting takes a lock that modify holds while it waits (S6). */
  LOCKS_POST_AND_MODIFY("CTX-006"),
  /** Polling waits for a thread (S8). */
  JOINS_IN_POLL("CTX-013"),
  /** The handler is called under the lock that poll takes (B4). */
  LOCKED_HANDLER("HELD-001"),
  /** The device is registered under a lock that posting takes (S30). */
  LOCKED_REGISTRATION("HELD-002"),
  /** The device is unregistered under a lock that posting takes (S30). */
  LOCKED_REMOVAL("HELD-003");

  private final String caughtBy;

  Flaw(String caughtBy) {
    this.caughtBy = caughtBy;
  }

  /** {@return the id of the case that must catch it} */
  public String caughtBy() {
    return caughtBy;
  }
}
