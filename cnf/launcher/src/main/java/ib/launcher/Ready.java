package ib.launcher;

import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * The command {@code launcher:ready}, with which {@code gosh_profile} lets a shell whose commands
 * come from a pipe or a file wait for the devices, as those of {@code ib exec} do. A person at a
 * terminal has the shell at once.
 */
public final class Ready {
  private final BooleanSupplier terminal;
  private final Callable<List<String>> missing;
  private final PrintStream err;

  /**
   * Creates the command.
   *
   * @param terminal whether a person is at standard input
   * @param missing waits; a sentence for each device that has not come
   * @param err takes these sentences
   */
  Ready(BooleanSupplier terminal, Callable<List<String>> missing, PrintStream err) {
    this.terminal = terminal;
    this.missing = missing;
    this.err = err;
  }

  /** {@return whether standard input and output are a terminal} */
  static boolean atTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * Waits for the configured devices, unless at a terminal. The shell says which do not come in
   * time, and goes on without them.
   */
  public void ready() {
    if (terminal.getAsBoolean()) {
      return;
    }
    try {
      missing.call().forEach(err::println);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      err.println("ib: the devices are not waited for: " + e);
    }
  }
}
