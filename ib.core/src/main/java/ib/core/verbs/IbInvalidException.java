package ib.core.verbs;

/** An argument, an attribute or the state of the object does not allow the call. */
public class IbInvalidException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EINVAL.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbInvalidException(String what, String why, String hint) {
    super(Errno.EINVAL, what, why, hint);
  }
}
