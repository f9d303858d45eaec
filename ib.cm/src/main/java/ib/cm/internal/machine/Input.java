package ib.cm.internal.machine;

/** An input of a connection: a call of its owner, a message of the peer, or its timer. */
public enum Input {
  /** The owner connects. */
  CONNECT,
  /** The owner accepts the request. */
  ACCEPT,
  /** The owner rejects the request or the reply. */
  REJECT,
  /** The owner has moved the queue pair. */
  READY,
  /** Data has arrived on the queue pair. */
  DATA,
  /** The owner disconnects. */
  DISCONNECT,
  /** The owner gives the connection up, whatever its state is. */
  CLOSE,
  /** The device goes, or the port's connection manager. */
  REMOVE,
  /** A REQ: the first one, or the same again. */
  REQ,
  /** A REP. */
  REP,
  /** An RTU. */
  RTU,
  /** An MRA for the message that waits. */
  MRA,
  /** A REJ. */
  REJ,
  /** A REJ with reason 10: stale connection. */
  REJ_STALE,
  /** A DREQ with the right queue pair number. */
  DREQ,
  /** A DREP. */
  DREP,
  /** A LAP. */
  LAP,
  /** The timer, with a repetition left. */
  AGAIN,
  /** The timer: the last repetition, the deadline or timewait is over. */
  LAST
}
