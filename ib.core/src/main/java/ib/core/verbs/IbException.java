package ib.core.verbs;

/**
 * A failure of the control path: an error number, what was attempted, why it failed and what to
 * try. It is unchecked; the subclasses name the usual numbers. The data path throws nothing (D3),
 * see {@link PostStatus}.
 */
public class IbException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int MAX_WHAT = 200;
  private static final int MAX_TEXT = 2_000;

  private final Errno errno;
  private final String what;
  private final String why;
  private final String hint;

  /**
   * Reports an error. What is longer than 200 characters, and a reason or a hint of more than
   * 2,000, is cut.
   *
   * @param errno the error number
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbException(Errno errno, String what, String why, String hint) {
    super(text(errno, cut(what, MAX_WHAT), cut(why, MAX_TEXT), cut(hint, MAX_TEXT)));
    this.errno = errno;
    this.what = cut(what, MAX_WHAT);
    this.why = cut(why, MAX_TEXT);
    this.hint = cut(hint, MAX_TEXT);
  }

  /** A stranger's names and values are in texts, and texts are in the log (A17). */
  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "…";
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
