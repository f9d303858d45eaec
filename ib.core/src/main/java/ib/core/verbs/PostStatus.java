package ib.core.verbs;

/** Results of data path calls, which throw nothing: 0 or a negated Linux errno. */
public final class PostStatus {
  /** Accepted. */
  public static final int OK = 0;

  /** The object or its device is gone (-EIO). */
  public static final int GONE = -5;

  /** No room in the work queue (-ENOMEM): poll, then post again. */
  public static final int QUEUE_FULL = -12;

  /** The request or the state of the QP does not allow it (-EINVAL). */
  public static final int INVALID = -22;

  /** The CQ has overrun (-EOVERFLOW). */
  public static final int OVERRUN = -75;

  /** The QP type or the device does not offer the operation (-EOPNOTSUPP). */
  public static final int NOT_SUPPORTED = -95;

  private PostStatus() {}
}
