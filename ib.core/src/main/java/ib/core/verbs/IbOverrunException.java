package ib.core.verbs;

/** A completion queue has overrun: completions were lost, and its queue pairs are in ERR. */
public class IbOverrunException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EOVERFLOW.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbOverrunException(String what, String why, String hint) {
    super(Errno.EOVERFLOW, what, why, hint);
  }
}
