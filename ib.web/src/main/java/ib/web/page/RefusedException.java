package ib.web.page;

/** Thrown when a screen refuses what a browser asks; the message is for the person in front. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates a refusal.
   *
   * @param text a sentence that says why, and what is possible
   */
  public RefusedException(String text) {
    super(text);
  }
}
