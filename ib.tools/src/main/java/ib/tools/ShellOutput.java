package ib.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Process;

/**
 * The output of a command, which appears as the command prints it. Between a command and the
 * terminal the shell has a channel that passes on bytes but no flush, and the shell flushes the
 * terminal only when a job in the foreground ends. So a flush of this stream also flushes the
 * terminal.
 *
 * <p>The channel closes itself, and the terminal's output with it, when its thread is interrupted.
 * So a thread writes without its mark of an interrupt, and gets the mark back afterwards; {@link
 * Interrupts} marks no thread meanwhile.
 */
final class ShellOutput extends FilterOutputStream {
  private final CommandSession session;

  private ShellOutput(OutputStream out, CommandSession session) {
    super(out);
    this.session = session;
  }

  /** {@return the stream of the command's output; in a pipeline, the pipe} */
  static PrintStream out(CommandSession session) {
    Process process = Process.Utils.current();
    return process == null ? session.getConsole() : of(process.out(), session);
  }

  /** {@return the stream of messages that are no output} */
  static PrintStream err(CommandSession session) {
    Process process = Process.Utils.current();
    return process == null ? session.getConsole() : of(process.err(), session);
  }

  static PrintStream of(PrintStream out, CommandSession session) {
    return new PrintStream(new ShellOutput(out, session), true, out.charset());
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    uninterrupted(() -> out.write(bytes, offset, length)); // not byte by byte
  }

  @Override
  public void flush() throws IOException {
    uninterrupted(
        () -> {
          out.flush();
          session.getConsole().flush();
        });
  }

  private void uninterrupted(Writing writing) throws IOException {
    Interrupts interrupts = Interrupts.of(session);
    synchronized (interrupts == null ? this : interrupts) {
      boolean marked = Thread.interrupted();
      try {
        writing.run();
      } finally {
        if (marked) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** Writes to the channel, or flushes it. */
  @FunctionalInterface
  private interface Writing {
    void run() throws IOException;
  }
}
