package ib.core.verbs;

/** The optional contents of a completion; bits of {@code ib_wc_flags}. */
public final class WcFlags {
  /** The first 40 bytes of the buffer hold a global route header (UD). */
  public static final int GRH = 1;

  /** Immediate data is present. */
  public static final int WITH_IMM = 1 << 1;

  /** The peer has invalidated a local key. */
  public static final int WITH_INVALIDATE = 1 << 2;

  /**
   * The checksum of the transport in the packet was judged by the device and need not be judged
   * again; where {@link WorkCompletion#mss} is not 0 the packet does not contain one.
   */
  public static final int IP_CSUM_OK = 1 << 3;

  /** The datagram goes on in the next completion ({@link QpCreateFlags#COALESCED_RECEIVE}). */
  public static final int MORE = 1 << 7;

  private WcFlags() {}
}
