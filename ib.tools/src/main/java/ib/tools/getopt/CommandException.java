package ib.tools.getopt;

import java.util.function.IntSupplier;

/**
 * Thrown when a command fails. The message is the original's output, and {@link #getAsInt} returns
 * the exit status; a launcher outside the framework can read it through the JDK's interface.
 */
public final class CommandException extends RuntimeException implements IntSupplier {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * Creates a failure with status 1.
   *
   * @param text text to print, without the last line's end
   */
  public CommandException(String text) {
    this(1, text);
  }

  /**
   * Creates a failure.
   *
   * @param status exit status, 1 to 255
   * @param text text to print, without the last line's end
   */
  public CommandException(int status, String text) {
    super(text);
    this.status = status;
  }

  /**
   * Creates a failure with a cause, whose message becomes the second line.
   *
   * @param text the original's text
   * @param cause the cause
   */
  public CommandException(String text, Throwable cause) {
    this(1, text, cause);
  }

  /**
   * Creates a failure with a cause, whose message becomes the second line.
   *
   * @param status exit status, 1 to 255
   * @param text the original's text
   * @param cause the cause
   */
  public CommandException(int status, String text, Throwable cause) {
    super(text + "\n" + cause.getMessage(), cause);
    this.status = status;
  }

  /** {@return the exit status} */
  @Override
  public int getAsInt() {
    return status;
  }

  /** {@return the message without a class name, because the shell prints this text} */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
