package ib.tools.getopt;

import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a command fails. The message is the original's output, and {@link #getAsInt} returns
 * the exit status; a launcher outside the framework can read it through the JDK's interface.
 */
public final class CommandException extends RuntimeException implements IntSupplier {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final boolean output;

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
   * @param status exit status, 0 to 255; 0 where the original's is, whatever it complains of
   * @param text text to print, without the last line's end
   */
  public CommandException(int status, String text) {
    this(status, text, false);
  }

  CommandException(int status, String text, boolean output) {
    super(text);
    this.status = status;
    this.output = output;
  }

  /**
   * Creates a failure whose text the original prints on its standard output.
   *
   * @param status exit status
   * @param text text to print, without the last line's end
   * @return the failure
   */
  public static CommandException onOutput(int status, String text) {
    return new CommandException(status, text, true);
  }

  /**
   * Creates a failure as the tools of libibmad report it: on the standard output, with status 255.
   *
   * @param command name of the command
   * @param why the original's words
   * @param cause says more in brackets, if there is one
   * @return the failure
   */
  public static CommandException iberror(String command, String why, @Nullable Throwable cause) {
    String more = cause == null ? "" : " (" + cause.getMessage() + ")";
    CommandException e = onOutput(255, command + ": iberror: failed: " + why + more);
    e.initCause(cause);
    return e;
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
    this.output = false;
  }

  /** {@return the exit status} */
  @Override
  public int getAsInt() {
    return status;
  }

  /** {@return whether the text belongs to the standard output} */
  public boolean isOutput() {
    return output;
  }

  /** {@return the message without a class name, because the shell prints this text} */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
