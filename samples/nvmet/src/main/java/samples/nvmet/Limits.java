package samples.nvmet;

import java.time.Duration;

/**
 * The share of a target that hosts may have. A connection takes at most {@code depth} times 4.2
 * KiB.
 *
 * @param connections of all hosts, that is queues, 1 and up; further ones are rejected
 * @param depth commands of an I/O queue, 2 to 1024
 * @param ioQueues of one controller, 1 to 64
 * @param connectWithin for the Connect command of a new connection, which is ended otherwise
 */
public record Limits(int connections, int depth, int ioQueues, Duration connectWithin) {
  /** Enough for seven hosts with eight I/O queues of Linux's usual length. */
  public static final Limits USUAL = new Limits(64, 128, 8, Duration.ofSeconds(10));

  /** Commands of an admin queue: NVMe over Fabrics says 32. */
  static final int ADMIN_DEPTH = 32;

  /** Bytes of data in a capsule of an I/O queue. */
  static final int IN_CAPSULE = 4096;

  /** Bytes of one command's data: MDTS 8 in units of 4 KiB. */
  static final int TRANSFER = 1 << 20;

  /** Checks the ranges. */
  public Limits {
    if (connections < 1 || depth < 2 || depth > 1024 || ioQueues < 1 || ioQueues > 64) {
      throw new IllegalArgumentException(
          "connections " + connections + ", depth " + depth + ", ioQueues " + ioQueues);
    }
  }
}
