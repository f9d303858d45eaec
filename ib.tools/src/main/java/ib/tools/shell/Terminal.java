package ib.tools.shell;

import java.io.Console;
import org.apache.felix.service.command.CommandSession;

/** Whether a person looks at what the shell prints. */
public final class Terminal {
  private static final String TERMINAL = ".terminal";
  private static final String DUMB = "Dumb"; // what jline makes of a file or a pipe

  private Terminal() {}

  /**
   * Looks at a session.
   *
   * @param session of the shell, or of {@code ib exec}
   * @return whether its output goes to a terminal
   */
  public static boolean of(CommandSession session) {
    if (session.get(TERMINAL) != null) {
      return ofShell(session);
    }
    Console console = System.console(); // ib exec has no terminal of the shell's
    return console != null && console.isTerminal();
  }

  /**
   * Looks at a session.
   *
   * @param session of the shell, or of {@code ib exec}
   * @return whether it is the shell's, on a terminal
   */
  public static boolean ofShell(CommandSession session) {
    Object terminal = session.get(TERMINAL);
    return terminal != null && !terminal.toString().startsWith(DUMB);
  }
}
