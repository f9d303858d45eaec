package ib.cm;

/** How a connection, or the attempt to make one, has ended. */
public enum CmEnd {
  /** The peer has rejected it; the event has the reason. */
  REJECTED("rejected", ""),
  /** A message of the handshake was not answered after all retries, or before the deadline. */
  UNREACHABLE("no answer", "whether the peer runs, and UDP port 4791 is open between both hosts"),
  /** One of the sides has disconnected it. */
  DISCONNECTED("disconnected", "connect again"),
  /** This side has disconnected it, and the peer has not answered. */
  TIMED_OUT("disconnected; the peer has not confirmed it", ""),
  /** This side has given the handshake up: it has rejected or closed it. */
  CLOSED("closed by this side", "connect again"),
  /** The peer does not know the established connection any more. */
  LOST("the peer does not know the connection any more", "connect again"),
  /** The host knows no way to the peer's address; the event has an error number. */
  UNRESOLVED("no way to the peer's address", "a route, and the peer's address"),
  /** The host's connection manager could not go on; the event has an error number. */
  FAILED("the host's connection manager could not go on", "the error number"),
  /** The device, or the port of the connection manager, was closed. */
  REMOVED("the device goes", "connect again");

  private final String text;
  private final String hint;

  CmEnd(String text, String hint) {
    this.text = text;
    this.hint = hint;
  }

  /** {@return the end in words} */
  public String text() {
    return text;
  }

  /** {@return what to look at or to try; may be empty} */
  public String hint() {
    return hint;
  }

  /** {@return whether no side has asked for this end} */
  public boolean isFailure() {
    return switch (this) {
      case REJECTED, UNREACHABLE, TIMED_OUT, LOST, UNRESOLVED, FAILED, REMOVED -> true;
      case DISCONNECTED, CLOSED -> false;
    };
  }
}
