package ib.core.verbs;

/** Memory or a resource of the device (QPs, MRs, table entries) is used up. */
public class IbNoMemoryException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno ENOMEM.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbNoMemoryException(String what, String why, String hint) {
    super(Errno.ENOMEM, what, why, hint);
  }
}
