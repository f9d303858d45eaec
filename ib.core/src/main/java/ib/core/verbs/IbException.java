package ib.core.verbs;

/**
 * A failure of the control path: an error number, what was attempted, why it failed and what to
 * try. It is unchecked; the subclasses name the usual numbers. The data path throws nothing (D3),
 * see {@link PostStatus}.
 */
public class IbException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;
  private final String what;
  private final String why;
  private final String hint;

  /**
   * Reports an error.
   *
   * @param errno the error number
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbException(Errno errno, String what, String why, String hint) {
    super(text(errno, what, why, hint));
    this.errno = errno;
    this.what = what;
    this.why = why;
    this.hint = hint;
  }

  private static String text(Errno errno, String what, String why, String hint) {
    String text = what + ": " + why + " (" + errno + ")";
    return hint.isEmpty() ? text : text + ". Try: " + hint;
  }

  /** {@return the error number} */
  public Errno errno() {
    return errno;
  }

  /** {@return what was attempted} */
  public String what() {
    return what;
  }

  /** {@return why it failed} */
  public String why() {
    return why;
  }

  /** {@return what to try; empty if there is nothing to try} */
  public String hint() {
    return hint;
  }
}
