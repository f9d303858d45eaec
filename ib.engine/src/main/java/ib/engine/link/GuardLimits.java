package ib.engine.link;

/**
 * How many violations of one source of packets a port tolerates (F-9, F-10). A violation is a
 * packet that only a mistake or a guess brings: an rkey, Q_Key or P_Key that does not fit, a
 * sequence number far from the expected one, or a queue pair connected to another source. A probe
 * is a packet to a queue pair that does not exist. A source is a GID, or without a GRH a LID.
 *
 * @param violations number tolerated within {@code windowNs}; 0 for any number
 * @param windowNs nanoseconds
 * @param probes number tolerated within 1 s; 0 for any number
 * @param muteNs how long a source that exceeds a limit is muted, in nanoseconds
 */
public record GuardLimits(int violations, long windowNs, int probes, long muteNs) {
  private static final long SECOND = 1_000_000_000L;

  /** No source is ever muted; for a medium whose sources are trusted. */
  public static final GuardLimits OFF = new GuardLimits(0, 0, 0, 0);

  /** More than 8 violations in 10 s, or more than 1,000 probes in 1 s, mute for 60 s. */
  public static final GuardLimits STRICT = new GuardLimits(8, 10 * SECOND, 1000, 60 * SECOND);

  static final long PROBES_NS = SECOND;
}
