package ib.core.verbs;

/** Thrown when the device or its driver does not offer the operation; see {@link Cap}. */
public class IbNotSupportedException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EOPNOTSUPP.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbNotSupportedException(String what, String why, String hint) {
    super(Errno.EOPNOTSUPP, what, why, hint);
  }
}
