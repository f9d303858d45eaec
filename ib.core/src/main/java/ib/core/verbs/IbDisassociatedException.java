package ib.core.verbs;

/**
 * The object outlived its device or its client: it was torn down by force and can only be closed.
 */
public class IbDisassociatedException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EIO.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbDisassociatedException(String what, String why, String hint) {
    super(Errno.EIO, what, why, hint);
  }
}
