package ib.core.mad;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** An RMPP transfer was given up by one of the sides (IBA 13.6.2.2). */
public class RmppException extends IbException {
  private static final long serialVersionUID = 1L;

  private final RmppStatus status;

  /**
   * Reports it.
   *
   * @param status why
   * @param what what was attempted
   * @param byPeer whether the peer gave it up
   */
  public RmppException(RmppStatus status, String what, boolean byPeer) {
    super(
        Errno.EIO,
        what,
        (byPeer ? "the peer has given up: " : "given up: ") + status + " " + status.value(),
        "the request again");
    this.status = status;
  }

  /** {@return why} */
  public RmppStatus status() {
    return status;
  }
}
