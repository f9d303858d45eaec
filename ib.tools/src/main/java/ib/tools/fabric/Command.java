package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.util.List;

/**
 * A command that asks by subnet management.
 *
 * @param name as it is typed
 * @param options its own, see {@link Options#with}
 * @param body what it does
 */
public record Command(String name, List<String> options, Body body) {
  private static final int FAILED = 255;

  /** Copies the list. */
  public Command {
    options = List.copyOf(options);
  }

  /** What a command does. */
  @FunctionalInterface
  interface Body {
    /**
     * Asks, and makes the text.
     *
     * @param query asks the fabric
     * @param line the command line
     * @return the text, without the last line's end
     * @throws NoAnswerException when somebody who is needed does not answer
     */
    String run(SmpQuery query, Parsed line) throws NoAnswerException;
  }

  /**
   * Runs it on a port of this runtime.
   *
   * @param core the midlayer
   * @param args options and operands
   * @return what is printed
   * @throws CommandException when an option is wrong, there is no such port, or nobody answers
   */
  public String run(IbCore core, String... args) {
    Parsed line = parse(args);
    if (line.has("help")) {
      return Usage.of(name) + "\n";
    }
    if (line.has("version")) {
      return name + " BUILD VERSION: ib";
    }
    LocalPort port = LocalPort.of(core, name, line);
    try (Smi smi = Smi.open(core, port, name, Options.timeoutMs(line))) {
      return run(smi, line);
    } catch (IbException e) {
      throw new CommandException(name + ": iberror: failed", e);
    }
  }

  /**
   * Reads a command line.
   *
   * @param args options and operands
   * @return what was read
   */
  Parsed parse(String... args) {
    String[] known = Options.with(options.toArray(String[]::new));
    return new Getopt(name, Usage.of(name) + "\n", known).parse(args);
  }

  /**
   * Runs it.
   *
   * @param query asks the fabric
   * @param line the command line
   * @return what is printed
   */
  String run(SmpQuery query, Parsed line) {
    try {
      return body.run(query, line);
    } catch (NoAnswerException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
  }

  private CommandException failed(String why, Exception cause) {
    CommandException e = new CommandException(FAILED, name + ": iberror: failed: " + why);
    e.initCause(cause);
    return e;
  }
}
