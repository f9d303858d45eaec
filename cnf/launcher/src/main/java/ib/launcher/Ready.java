package ib.launcher;

import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.osgi.framework.BundleContext;

/**
 * The command {@code launcher:ready}, with which {@code gosh_profile} lets a shell whose commands
 * come from a pipe or a file wait for the devices, as those of {@code ib exec} do. A person at a
 * terminal has the shell at once.
 */
public final class Ready {
  private final BooleanSupplier noWait;
  private final Callable<List<String>> missing;
  private final PrintStream err;

  /**
   * Creates the command.
   *
   * @param noWait whether a person is at standard input, or the launcher itself waits
   * @param missing waits; a sentence for each device that has not come
   * @param err takes these sentences
   */
  Ready(BooleanSupplier noWait, Callable<List<String>> missing, PrintStream err) {
    this.noWait = noWait;
    this.missing = missing;
    this.err = err;
  }

  void register(BundleContext context) {
    context.registerService(Ready.class, this, Launcher.command("ready"));
  }

  /** {@return whether standard input and output are a terminal} */
  static boolean atTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * Waits for the configured devices, unless there is no need. The shell says which do not come in
   * time, and goes on without them.
   */
  public void ready() {
    if (noWait.getAsBoolean()) {
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
