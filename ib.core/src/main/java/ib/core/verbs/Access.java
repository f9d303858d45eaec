package ib.core.verbs;

/**
 * Access rights of a memory region or window, and of what a peer may do at a QP; bits of {@code
 * ibv_access_flags}.
 */
public final class Access {
  /** The device may write locally; needed for remote write and atomics too. */
  public static final int LOCAL_WRITE = 1;

  /** Peers may write. */
  public static final int REMOTE_WRITE = 1 << 1;

  /** Peers may read. */
  public static final int REMOTE_READ = 1 << 2;

  /** Peers may do atomic operations. */
  public static final int REMOTE_ATOMIC = 1 << 3;

  /** Memory windows may be bound to it. */
  public static final int MW_BIND = 1 << 4;

  /** Addresses start at zero. */
  public static final int ZERO_BASED = 1 << 5;

  /** Peers may flush it to global visibility. */
  public static final int FLUSH_GLOBAL = 1 << 8;

  /** Peers may flush it to persistence. */
  public static final int FLUSH_PERSISTENT = 1 << 9;

  /** The device may reorder writes to it. */
  public static final int RELAXED_ORDERING = 1 << 20;

  private Access() {}
}
