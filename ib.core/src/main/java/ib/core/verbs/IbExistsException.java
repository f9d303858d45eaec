package ib.core.verbs;

/** A thing of that name or number exists already. */
public class IbExistsException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EEXIST.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbExistsException(String what, String why, String hint) {
    super(Errno.EEXIST, what, why, hint);
  }
}
