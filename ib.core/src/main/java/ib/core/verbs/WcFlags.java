package ib.core.verbs;

/** What else a completion carries; bits of {@code ib_wc_flags}. */
public final class WcFlags {
  /** The first 40 bytes of the buffer hold a global route header (UD). */
  public static final int GRH = 1;

  /** Immediate data is present. */
  public static final int WITH_IMM = 1 << 1;

  /** The peer has invalidated a local key. */
  public static final int WITH_INVALIDATE = 1 << 2;

  private WcFlags() {}
}
