package ib.core.verbs;

/** Flags of a send request; bits of {@code ib_send_flags}. */
public final class SendFlags {
  /** Start only when all reads and atomics before it are done. */
  public static final int FENCE = 1;

  /** Give a completion also on success. */
  public static final int SIGNALED = 1 << 1;

  /** Wake a receiver that waits for solicited completions. */
  public static final int SOLICITED = 1 << 2;

  /** The data is copied at the post; the buffer is free at once. */
  public static final int INLINE = 1 << 3;

  /** All of them; another bit is refused. */
  public static final int ALL = FENCE | SIGNALED | SOLICITED | INLINE;

  private SendFlags() {}
}
