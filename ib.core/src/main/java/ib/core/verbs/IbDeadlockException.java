package ib.core.verbs;

/** The wait would never end, since what is waited for waits for the caller. */
public class IbDeadlockException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EDEADLK.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbDeadlockException(String what, String why, String hint) {
    super(Errno.EDEADLK, what, why, hint);
  }
}
