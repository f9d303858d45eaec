package ib.driver.rxe.udp;

/**
 * Predicts the next IPv4 identification of each peer, to grade identifications that {@code
 * ib.engine.wire.HiddenId} has computed. This class grades and does not refuse, since a peer may
 * choose any identification for packets that are not fragmented (RFC 6864 section 4.1). Linux takes
 * identifications from a counter. The counter grows by one for each packet, and by a random number
 * of at most one for each tick without a packet. A socket of this driver sends 0, or 0, 1, 2, …
 * when the kernel cuts a long send. So only a few values are expected after a packet, and a few
 * before it, for packets that it has overtaken. Two packets in a row that follow each other are
 * accepted at any value, so a changed counter costs one packet. For one thread at a time.
 */
final class IdBook {
  /** How well a packet's identification fits the prediction. */
  enum Grade {
    /** The value is one of those expected. */
    STRICT,
    /** No prediction is possible: the peer is new, or was silent for long. */
    LOOSE,
    /** Other values were expected. */
    JUMP
  }

  private static final int PEERS = 1024;
  private static final int SEGMENTS = 64; // packets of one long send
  private static final int BEHIND = 768; // packets overtaken in the network
  private static final int AHEAD = 256; // packets lost, or sent to other hosts
  private static final int NEXT = 64; // as AHEAD, after a value that was not expected
  private static final int PER_MS =
      2; // growth per millisecond: at most 1 with ticks of 1 ms, and a margin
  private static final long MS = 1_000_000;

  private final long[] peers = new long[PEERS];
  private final int[] last = new int[PEERS];
  private final int[] candidate = new int[PEERS];
  private final long[] times = new long[PEERS];

  /**
   * Grades an identification and remembers it.
   *
   * @param peer number of the peer, not 0
   * @param id 0 to 65535
   * @param nowNs present time in nanoseconds
   * @return the grade
   */
  Grade judge(long peer, int id, long nowNs) {
    if (id < SEGMENTS) {
      return Grade.STRICT;
    }
    int i = (int) (peer * 0x9E3779B97F4A7C15L >>> 54);
    if (peers[i] != peer) {
      peers[i] = peer;
      return note(i, id, nowNs, Grade.LOOSE);
    }
    long silent = (nowNs - times[i]) / MS;
    if (silent * PER_MS >= 0x8000) {
      return note(i, id, nowNs, Grade.LOOSE);
    }
    int step = id - last[i] & 0xffff;
    if (step >= 0x10000 - BEHIND) {
      return Grade.STRICT;
    }
    int next = id - candidate[i] & 0xffff;
    if (step <= AHEAD + (int) silent * PER_MS || next > 0 && next <= NEXT) {
      return note(i, id, nowNs, Grade.STRICT);
    }
    candidate[i] = id;
    return Grade.JUMP;
  }

  private Grade note(int i, int id, long nowNs, Grade grade) {
    last[i] = id;
    candidate[i] = id;
    times[i] = nowNs;
    return grade;
  }
}
