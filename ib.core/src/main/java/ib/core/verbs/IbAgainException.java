package ib.core.verbs;

/** Not possible at this moment; the same call may succeed later. */
public class IbAgainException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EAGAIN.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbAgainException(String what, String why, String hint) {
    super(Errno.EAGAIN, what, why, hint);
  }
}
