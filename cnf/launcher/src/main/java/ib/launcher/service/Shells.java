package ib.launcher.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;

/** Runs what a caller of the service asks for: shell commands, or a shell. */
public interface Shells {
  /**
   * Runs shell commands.
   *
   * @param commands as a line of the shell, or several
   * @param streams what the commands read and write
   * @param begun takes what ends the commands early: {@link AutoCloseable#close} of it interrupts
   *     them
   * @return the exit status
   */
  int execute(String commands, Streams streams, Consumer<AutoCloseable> begun);

  /**
   * Runs a shell on a terminal until the caller types {@code exit} or the end of input.
   *
   * @param screen the caller's terminal
   * @param keys what is typed
   * @param out takes what is shown; the caller closes it
   * @param begun takes the running shell
   * @return the exit status, of {@code exit}
   * @throws Exception when the shell cannot start
   */
  int attach(Screen screen, InputStream keys, OutputStream out, Consumer<Attached> begun)
      throws Exception;

  /**
   * Streams of commands.
   *
   * @param in standard input
   * @param out standard output
   * @param err standard error
   */
  record Streams(InputStream in, PrintStream out, PrintStream err) {}

  /**
   * A caller's terminal.
   *
   * @param type as TERM
   * @param columns how wide
   * @param rows how high
   */
  record Screen(String type, int columns, int rows) {
    private static final int MAX_SIDE = 10_000;
    private static final int MAX_TYPE = 64;

    /** Checks what a caller sends. */
    public Screen {
      if (columns < 0 || columns > MAX_SIDE || rows < 0 || rows > MAX_SIDE) {
        throw new IllegalArgumentException(
            "a terminal of %d columns and %d rows".formatted(columns, rows));
      }
      if (type.isBlank() || type.length() > MAX_TYPE) {
        throw new IllegalArgumentException("a terminal of type '" + type + "'");
      }
    }

    String text() {
      return type + "\n" + columns + "\n" + rows;
    }

    static Screen of(String text) {
      String[] lines = text.split("\n", -1);
      if (lines.length != 3) {
        throw new IllegalArgumentException("a terminal of " + lines.length + " lines");
      }
      return new Screen(lines[0], Integer.parseInt(lines[1]), Integer.parseInt(lines[2]));
    }
  }

  /** A shell that runs on a caller's terminal; closing it ends it. */
  interface Attached extends AutoCloseable {
    /**
     * The terminal has another size.
     *
     * @param screen its size now
     */
    void resize(Screen screen);

    @Override
    void close() throws IOException;
  }
}
