package samples.kv.api;

/** A request to the store has failed; the message says what, why, and what to try. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why a request has failed. */
  public enum Reason {
    /** The key or the value does not fit into a bucket. */
    SIZE("one of that size"),
    /** No device is plugged in, no server runs, or the server cannot be reached. */
    NO_SERVER("plug the devices in, start the bundle of the server, then ask again"),
    /** No bucket is free for the key. */
    FULL("delete keys, or give the server more buckets"),
    /** The server does not understand the message, or the client the answer. */
    REFUSED("refresh samples.kv.api and both bundles"),
    /** The server was writing the buckets at each of many reads. */
    BUSY("ask again"),
    /** The device or the server went while the request was under way. */
    GONE("ask again: the client connects anew");

    private final String hint;

    Reason(String hint) {
      this.hint = hint;
    }
  }

  private final Reason reason;

  /**
   * A failure.
   *
   * @param reason which one
   * @param why the details, for a person
   * @param cause the failure below, or null
   */
  public StoreException(Reason reason, String why, Throwable cause) {
    super(reason + ": " + why + ". Try: " + reason.hint, cause);
    this.reason = reason;
  }

  /**
   * A failure.
   *
   * @param reason which one
   * @param why the details, for a person
   */
  public StoreException(Reason reason, String why) {
    this(reason, why, null);
  }

  /** {@return why} */
  public Reason reason() {
    return reason;
  }
}
