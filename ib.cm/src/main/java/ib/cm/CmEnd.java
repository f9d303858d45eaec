package ib.cm;

/** How a connection, or the attempt to make one, has ended. */
public enum CmEnd {
  /** The peer has rejected it; the event has the reason. */
  REJECTED,
  /** A message of the handshake was not answered after all retries, or before the deadline. */
  UNREACHABLE,
  /** One of the sides has disconnected it. */
  DISCONNECTED,
  /** This side has disconnected it, and the peer has not answered. */
  TIMED_OUT,
  /** This side has given the handshake up: it has rejected or closed it. */
  CLOSED,
  /** The peer does not know the established connection any more. */
  LOST,
  /** The host knows no way to the peer's address; the event has an error number. */
  UNRESOLVED,
  /** The host's connection manager could not go on; the event has an error number. */
  FAILED,
  /** The device, or the port of the connection manager, was closed. */
  REMOVED
}
