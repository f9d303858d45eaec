package ib.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.apache.felix.service.command.CommandSession;

/**
 * The output of a command, which appears as the command prints it. Between a command and the
 * terminal the shell has a channel that passes on bytes but no flush, and the shell flushes the
 * terminal only when a job in the foreground ends. So a flush of this stream also flushes the
 * terminal.
 */
final class ShellOutput extends FilterOutputStream {
  private final CommandSession session;

  private ShellOutput(OutputStream out, CommandSession session) {
    super(out);
    this.session = session;
  }

  static PrintStream of(PrintStream out, CommandSession session) {
    return new PrintStream(new ShellOutput(out, session), true, out.charset());
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length); // not byte by byte
  }

  @Override
  public void flush() throws IOException {
    super.flush();
    session.getConsole().flush();
  }
}
