package ib.core.verbs;

/**
 * Capacities of the work queues of a QP. A device may give more than was asked for.
 *
 * @param maxSendWr outstanding send requests, 0 and up
 * @param maxRecvWr outstanding receive requests, 0 and up; 0 with an SRQ
 * @param maxSendSge gather entries per send, 0 and up
 * @param maxRecvSge scatter entries per receive, 0 and up; 0 with an SRQ
 * @param maxInlineData inline bytes per send, 0 and up
 */
public record QpCap(
    int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is negative
   */
  public QpCap {
    Range.check("maxSendWr", maxSendWr, Integer.MAX_VALUE);
    Range.check("maxRecvWr", maxRecvWr, Integer.MAX_VALUE);
    Range.check("maxSendSge", maxSendSge, Integer.MAX_VALUE);
    Range.check("maxRecvSge", maxRecvSge, Integer.MAX_VALUE);
    Range.check("maxInlineData", maxInlineData, Integer.MAX_VALUE);
  }

  /** How many requests fit into both queues. */
  long workRequests() {
    return (long) maxSendWr + maxRecvWr;
  }
}
