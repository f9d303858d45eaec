package ib.driver.rxe.udp;

/**
 * What identification each peer is likely to send next: the stricter grade of the check that {@code
 * ib.engine.wire.HiddenId} leaves at 16 bits. It grades and does not refuse, since a peer may
 * number as it likes what is not to be fragmented (RFC 6864 section 4.1). Linux takes
 * identifications from a counter that goes up by one for each packet, and by chance up to one for
 * each tick that passes without one; a socket of ours sends 0, or 0, 1, 2, … when the kernel cuts a
 * long send into packets. So after a packet only few are to be expected, and those before it, which
 * it has overtaken. Two in a row that follow each other are believed wherever they are, so a
 * counter that was taken elsewhere costs one packet. For one thread.
 */
final class IdBook {
  /** What a packet's identification is worth. */
  enum Grade {
    /** As expected. */
    STRICT,
    /** Nothing was expected: a new peer, or one that was silent for long. */
    LOOSE,
    /** Something else was expected. */
    JUMP
  }

  private static final int PEERS = 1024;
  private static final int SEGMENTS = 64; // of one long send
  private static final int BEHIND = 768; // overtaken on the way
  private static final int AHEAD = 256; // lost on the way, or sent to others
  private static final int NEXT = 64; // the same after one that was not expected
  private static final int PER_MS = 2; // ticks, and then some
  private static final long MS = 1_000_000;

  private final long[] peers = new long[PEERS];
  private final int[] last = new int[PEERS];
  private final int[] candidate = new int[PEERS];
  private final long[] times = new long[PEERS];

  /**
   * Judges and notes.
   *
   * @param peer a number of the peer, not 0
   * @param id 0 to 65535
   * @param nowNs the time
   * @return its worth
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
