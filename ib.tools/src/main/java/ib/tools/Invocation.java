package ib.tools;

import ib.tools.getopt.CommandException;
import java.io.PrintStream;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Converter;
import org.apache.felix.service.command.Job;
import org.apache.felix.service.command.Process;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command by the shell. The shell prints only the value of a line's last command, and
 * no error of a job in the background; so a command whose output is the terminal prints its value
 * itself, and its error when it runs in the background. In a pipeline, in brackets and inside of
 * other commands the value is returned, because scripts use its fields.
 */
final class Invocation {
  private static final String STATUS =
      ".ib.status"; // of the value that is printed: ib exec reads it
  private static final int INTERRUPTED = 130; // as a shell has it: 128 and the signal's number

  private final Process process;
  private final CommandSession session;

  private Invocation(Process process) {
    this.process = process;
    this.session = process.job().session();
  }

  /**
   * Runs a command on the calling thread.
   *
   * @param command returns the value
   * @return the value; null when it is printed
   * @throws CommandException when the command fails, or Ctrl-C has ended it
   */
  static @Nullable Object run(Supplier<@Nullable Object> command) {
    Process current = Process.Utils.current();
    if (current == null) {
      return command.get();
    }
    Invocation invocation = new Invocation(current);
    Object value = invocation.value(command);
    return "".equals(value) ? null : invocation.shown(value); // no empty line for no text
  }

  private @Nullable Object value(Supplier<@Nullable Object> command) {
    Interrupts interrupts = Interrupts.of(session);
    try {
      return interrupts == null ? command.get() : interruptible(interrupts, command);
    } catch (RuntimeException e) {
      if (e instanceof CommandException failure && failure.isOutput()) {
        print(String.valueOf(e.getMessage()), ShellOutput.of(process.out(), session));
        CommandException silent = new CommandException(failure.getAsInt(), "");
        silent.initCause(e);
        throw silent;
      }
      if (process.job().status() == Job.Status.Background) {
        String why = e instanceof CommandException ? String.valueOf(e.getMessage()) : e.toString();
        print(why, ShellOutput.of(process.err(), session));
      }
      throw e;
    }
  }

  private @Nullable Object interruptible(
      Interrupts interrupts, Supplier<@Nullable Object> command) {
    Object value = null;
    RuntimeException failure = null;
    boolean ended;
    interrupts.enter(process.job());
    try {
      value = command.get();
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      ended = interrupts.leave();
    }
    if (ended) {
      if (value != null) {
        print(value, ShellOutput.of(process.out(), session));
      }
      throw new CommandException(INTERRUPTED, ""); // the line ends here; the shell prints nothing
    }
    if (failure != null) {
      throw failure;
    }
    return value;
  }

  private @Nullable Object shown(@Nullable Object value) {
    if (value == null || process.job().parent() != null || !process.isTty(1)) {
      return value;
    }
    print(value, ShellOutput.of(process.out(), session));
    if (value instanceof IntSupplier news) {
      session.put(STATUS, news.getAsInt());
    }
    return null;
  }

  private void print(Object value, PrintStream out) {
    out.println(session.format(value, Converter.INSPECT));
  }
}
