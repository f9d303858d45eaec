package ib.tools.fabric;

/** A question of subnet management stayed without the answer that was asked for. */
public final class NoAnswerException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * No answer.
   *
   * @param text who was asked for what, and why there is no answer
   */
  public NoAnswerException(String text) {
    super(text);
  }

  /**
   * No answer.
   *
   * @param text who was asked for what, and why there is no answer
   * @param cause the failure
   */
  public NoAnswerException(String text, Throwable cause) {
    super(text, cause);
  }
}
