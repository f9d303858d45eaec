package ib.core.verbs;

/**
 * Arguments of a flush: placement types are bits of {@code ib_flush_type}, the selectivity levels
 * numbers of {@code ib_flush_level}, as they stand in the FETH header.
 */
public final class Flush {
  /** Placement type: visible to all of the host. */
  public static final int GLOBAL = 1;

  /** Placement type: survives a loss of power. */
  public static final int PERSISTENT = 1 << 1;

  /** Selectivity: the bytes that are named. */
  public static final int RANGE = 0;

  /** Selectivity: the whole memory region. */
  public static final int MR = 1;

  private Flush() {}
}
