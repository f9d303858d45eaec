package ib.tools.fabric;

/** Thrown when a subnet management query gets no answer, or an answer with an error status. */
public final class NoAnswerException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * Creates the exception.
   *
   * @param text the query, and why it has no answer
   */
  public NoAnswerException(String text) {
    super(text);
  }

  /**
   * Creates the exception.
   *
   * @param text the query, and why it has no answer
   * @param cause the failure
   */
  public NoAnswerException(String text, Throwable cause) {
    super(text, cause);
  }
}
