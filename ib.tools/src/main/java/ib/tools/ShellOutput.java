package ib.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.apache.felix.service.command.CommandSession;

/**
 * What a command prints, shown as it is printed. Between a command and the terminal the shell has a
 * channel, which passes on what is written and not that it was flushed; and the terminal shows
 * nothing before it is flushed, which the shell does when a job in the foreground ends. So the
 * terminal is told as well.
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
