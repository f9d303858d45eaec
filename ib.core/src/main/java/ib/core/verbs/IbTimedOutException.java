package ib.core.verbs;

/** The bounded wait is over and what was waited for has not happened. */
public class IbTimedOutException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno ETIMEDOUT.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbTimedOutException(String what, String why, String hint) {
    super(Errno.ETIMEDOUT, what, why, hint);
  }
}
