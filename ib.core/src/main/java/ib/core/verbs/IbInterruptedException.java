package ib.core.verbs;

/** The wait was ended by an interrupt of its thread, whose flag stays set. */
public class IbInterruptedException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EINTR.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbInterruptedException(String what, String why, String hint) {
    super(Errno.EINTR, what, why, hint);
  }
}
