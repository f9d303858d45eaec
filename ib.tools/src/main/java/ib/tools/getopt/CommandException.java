package ib.tools.getopt;

import java.util.function.IntSupplier;

/**
 * A command has failed. The message is what the original prints, and {@link #getAsInt} the status
 * it exits with: of a type of the JDK, so that a launcher outside the framework can read it too.
 */
public final class CommandException extends RuntimeException implements IntSupplier {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * A failure with status 1.
   *
   * @param text what to print, without the last line's end
   */
  public CommandException(String text) {
    this(1, text);
  }

  /**
   * A failure.
   *
   * @param status exit status, 1 to 255
   * @param text what to print, without the last line's end
   */
  public CommandException(int status, String text) {
    super(text);
    this.status = status;
  }

  /**
   * A failure with a cause, whose message becomes the second line.
   *
   * @param text what the original prints
   * @param cause why
   */
  public CommandException(String text, Throwable cause) {
    super(text + "\n" + cause.getMessage(), cause);
    this.status = 1;
  }

  /** {@return the exit status} */
  @Override
  public int getAsInt() {
    return status;
  }

  /** {@return the text alone: the shell prints this, and the original names no class} */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
