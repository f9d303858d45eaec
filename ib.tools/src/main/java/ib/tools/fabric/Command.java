package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.util.List;

/**
 * A command that queries the fabric by subnet management.
 *
 * @param name name of the command
 * @param options options of this command, see {@link Options#with}
 * @param body runs the queries and makes the text
 */
public record Command(String name, List<String> options, Body body) {
  /** Copies the list. */
  public Command {
    options = List.copyOf(options);
  }

  /** The queries and the output of a command. */
  @FunctionalInterface
  interface Body {
    /**
     * Queries the fabric and returns the text.
     *
     * @param query sends queries
     * @param line the command line
     * @return the text, without the last line's end
     * @throws NoAnswerException when a node whose answer is needed does not answer
     */
    String run(SmpQuery query, Parsed line) throws NoAnswerException;
  }

  /**
   * Runs the command on a port of this runtime. Blocks until all answers have arrived or timed out.
   *
   * @param core the core
   * @param args options and operands
   * @return the printed text
   * @throws CommandException when an option is wrong, there is no such port, or a node does not
   *     answer
   */
  public String run(IbCore core, String... args) {
    Parsed line = parse(args);
    LocalPort port = LocalPort.of(core, name, line);
    try (Smi smi = Smi.open(core, port, name, Options.timeoutMs(line))) {
      return run(smi, line);
    } catch (IbException e) {
      throw CommandException.iberror(name, "failed", e);
    }
  }

  /**
   * Reads a command line.
   *
   * @param args options and operands
   * @return the parsed command line
   */
  Parsed parse(String... args) {
    String[] known = Options.with(Usage.of(name), options.toArray(String[]::new));
    return Options.parse(name, args, known);
  }

  /**
   * Runs the command with parsed options.
   *
   * @param query sends queries
   * @param line the command line
   * @return the printed text
   */
  String run(SmpQuery query, Parsed line) {
    try {
      return body.run(query, line);
    } catch (NoAnswerException e) {
      throw CommandException.iberror(name, String.valueOf(e.getMessage()), null);
    }
  }
}
