package ib.cm;

import ib.core.verbs.IbInvalidException;

/**
 * Times and retries of a connection; the REQ carries them. Exponents n mean 4.096 us * 2^n.
 *
 * @param retryCount retries of both queue pairs, 0 to 7
 * @param ackTimeout ACK timeout of both queue pairs, an exponent; also how long timewait lasts
 * @param responseTimeout how long either side may take to answer, an exponent
 * @param maxRetries how often a message that is not answered is repeated, 0 to 15
 * @param deadlineMs when the handshake ends at the latest, after its begin; 0 for no deadline
 */
public record CmTerms(
    int retryCount, int ackTimeout, int responseTimeout, int maxRetries, long deadlineMs) {
  /** As Linux: 4.3 s for an answer, 15 repetitions; but 67 ms for an ACK (CM-38, CM-53). */
  public static final CmTerms DEFAULT = new CmTerms(7, 14, 20, 15, 0);

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is out of its range
   */
  public CmTerms {
    range("retryCount", retryCount, 7);
    range("ackTimeout", ackTimeout, 31);
    range("responseTimeout", responseTimeout, 31);
    range("maxRetries", maxRetries, 15);
    range("deadlineMs", deadlineMs, Integer.MAX_VALUE);
  }

  /** {@return these terms with another deadline} */
  public CmTerms deadlineMs(long value) {
    return new CmTerms(retryCount, ackTimeout, responseTimeout, maxRetries, value);
  }

  private static void range(String name, long value, long most) {
    if (value < 0 || value > most) {
      throw new IbInvalidException(name + " " + value, "out of range", "0 to " + most);
    }
  }
}
