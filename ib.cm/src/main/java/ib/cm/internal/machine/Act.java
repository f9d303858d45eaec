package ib.cm.internal.machine;

/** The acts of a step; a row has them in order. */
public enum Act {
  /** Sends the REQ and starts its timer. */
  ASK_REQ,
  /** Sends the REP and starts its timer. */
  ASK_REP,
  /** Sends the DREQ and starts its timer. */
  ASK_DREQ,
  /** Sends the message that waits for an answer again. */
  REPEAT,
  /** Starts the timer of that message again. */
  TIMER,
  /** Starts the timer with the time that the peer's MRA asks for. */
  LONGER,
  /** Stops the timer. */
  STOP,
  /** Sends an RTU. */
  SAY_RTU,
  /** Sends an MRA. */
  SAY_MRA,
  /** Sends a REJ with the owner's reason. */
  SAY_REJ,
  /** Sends a REJ with reason 4: timeout. */
  SAY_REJ_TIMEOUT,
  /** Sends a REJ with reason 10: the connection that the message names has ended. */
  SAY_REJ_STALE,
  /** Sends a DREQ once. */
  SAY_DREQ,
  /** Sends a DREP. */
  SAY_DREP,
  /** Sends an APR: alternate paths are not supported. */
  SAY_APR,
  /** Takes what the REP says of the peer. */
  LEARN,
  /** Tells the owner of the request. */
  REQUESTED,
  /** Tells the owner of the reply. */
  REPLIED,
  /** Tells the owner that both sides are ready. */
  UP,
  /** Tells the owner the end: rejected. */
  END_REJECTED,
  /** Tells the owner the end: unreachable. */
  END_UNREACHABLE,
  /** Tells the owner the end: disconnected. */
  END_DISCONNECTED,
  /** Tells the owner the end: the DREQ was not answered. */
  END_TIMED_OUT,
  /** Tells the owner the end: given up here. */
  END_CLOSED,
  /** Tells the owner the end: the peer has forgotten the connection. */
  END_LOST,
  /** Tells the owner the end: the device is gone. */
  END_REMOVED,
  /** Begins timewait. */
  WAIT,
  /** Forgets the connection: its name is free. */
  FREE
}
