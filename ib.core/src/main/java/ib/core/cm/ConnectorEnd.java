package ib.core.cm;

/** How a connection of the host, or the attempt to make one, has ended. */
public enum ConnectorEnd {
  /** The host knows no way to the address; the status is an error number. */
  UNRESOLVED,
  /** The host could not go on; the status is an error number. */
  FAILED,
  /** The peer has not answered. */
  UNREACHABLE,
  /** The peer has rejected it; the status is the reason (IBA table 108). */
  REJECTED,
  /** One of the sides has disconnected it. */
  DISCONNECTED,
  /** This side has disconnected it, and the peer has not answered. */
  TIMED_OUT,
  /** The device goes. */
  REMOVED
}
