package ib.core.verbs;

/**
 * Attributes of a shared receive queue.
 *
 * @param maxWr outstanding receives, 0 and up
 * @param maxSge scatter entries per receive, 0 and up
 * @param srqLimit SRQ_LIMIT_REACHED is raised once when fewer receives are left; 0 = unarmed
 */
public record SrqAttr(int maxWr, int maxSge, int srqLimit) {

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is negative
   */
  public SrqAttr {
    Range.check("maxWr", maxWr, Integer.MAX_VALUE);
    Range.check("maxSge", maxSge, Integer.MAX_VALUE);
    Range.check("srqLimit", srqLimit, Integer.MAX_VALUE);
  }
}
