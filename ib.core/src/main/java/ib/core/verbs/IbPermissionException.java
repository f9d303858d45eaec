package ib.core.verbs;

/** The caller may not do that. */
public class IbPermissionException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EPERM.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbPermissionException(String what, String why, String hint) {
    super(Errno.EPERM, what, why, hint);
  }
}
