package ib.cm.internal.machine;

import ib.cm.CmPath;

/** Times of a connection in nanoseconds (CM-30 to CM-38). */
final class Times {
  /** The longest time that a peer may ask for by MRA, 69 s: Linux asks for as much. */
  static final int MAX_SERVICE_TIMEOUT = 24;

  private static final long UNIT_NS = 4_096;

  private Times() {}

  /** {@return 4.096 us * 2^exponent} */
  static long ns(int exponent) {
    return UNIT_NS << exponent;
  }

  /** {@return how long an answer may take: of the REQ of an active side (CM-30), else CM-31} */
  static long answer(Connection c) {
    long response = ns(c.terms.responseTimeout());
    return c.active ? 2 * ns(c.path.packetLife()) + response : response;
  }

  /** {@return how long an answer may take after an MRA (CM-34)} */
  static long longer(CmPath path, int serviceTimeout) {
    return ns(Math.min(serviceTimeout, MAX_SERVICE_TIMEOUT)) + 2 * ns(path.packetLife());
  }

  /** {@return how long timewait lasts (CM-35)} */
  static long timewait(Connection c) {
    return ns(c.terms.ackTimeout());
  }

  /** {@return when the handshake must be over} */
  static long deadline(Connection c) {
    boolean none = c.terms.deadlineMs() == 0;
    return none ? Connection.NO_TIMER : c.begunNs + c.terms.deadlineMs() * 1_000_000L;
  }
}
