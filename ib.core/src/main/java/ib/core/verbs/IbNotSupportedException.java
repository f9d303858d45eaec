package ib.core.verbs;

/** The device or its driver does not offer the operation; what it offers is told by {@link Cap}. */
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
