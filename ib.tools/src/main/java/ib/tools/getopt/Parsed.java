package ib.tools.getopt;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed command line. Immutable. */
public final class Parsed {
  private final Getopt getopt;
  private final List<Option> options;
  private final List<String> operands;

  /**
   * An option of the command line.
   *
   * @param name long name
   * @param argument argument; empty when the option takes none
   */
  public record Option(String name, String argument) {}

  Parsed(Getopt getopt, List<Option> options, List<String> operands) {
    this.getopt = getopt;
    this.options = List.copyOf(options);
    this.operands = List.copyOf(operands);
  }

  /** {@return the operands, in order} */
  public List<String> operands() {
    return operands;
  }

  /**
   * Returns whether an option was given.
   *
   * @param name long name
   * @return whether it was given
   */
  public boolean has(String name) {
    return count(name) > 0;
  }

  /**
   * Returns how often an option was given.
   *
   * @param name long name
   * @return how often it was given
   */
  public int count(String name) {
    return all(name).size();
  }

  /**
   * Returns the arguments of an option that may be repeated.
   *
   * @param name long name
   * @return the arguments, in order
   */
  public List<String> all(String name) {
    return options.stream().filter(o -> o.name.equals(name)).map(Option::argument).toList();
  }

  /**
   * Returns the last argument of an option.
   *
   * @param name long name
   * @return the argument; null when the option was not given
   */
  public @Nullable String last(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? null : all.getLast();
  }

  /**
   * Returns the last argument of an option as a number between bounds.
   *
   * @param name long name
   * @param absent the value when the option was not given
   * @param least smallest allowed value
   * @param most largest allowed value
   * @return the number
   * @throws CommandException with the reason and the usage, when the argument is no number or not
   *     allowed
   */
  public long number(String name, long absent, long least, long most) {
    String text = last(name);
    if (text == null) {
      return absent;
    }
    try {
      return Numbers.parse(text, v -> v >= least && v <= most);
    } catch (NumberFormatException e) {
      String wanted =
          most >= Integer.MAX_VALUE ? ", " + least + " or more" : " from " + least + " to " + most;
      CommandException refusal =
          getopt.refusal("option '--" + name + "' is '" + text + "', it must be a number" + wanted);
      refusal.initCause(e);
      throw refusal;
    }
  }

  /**
   * As the other, for a number of 32 bits.
   *
   * @param name long name
   * @param absent the value when the option was not given
   * @param least smallest allowed value
   * @param most largest allowed value
   * @return the number
   */
  public int number(String name, int absent, int least, int most) {
    return (int) number(name, absent, least, (long) most);
  }

  /** {@return the usage alone, as a failure} */
  public CommandException usage() {
    return getopt.usage();
  }

  /**
   * Refuses surplus operands.
   *
   * @param most how many operands are allowed
   * @return this
   * @throws CommandException with the first operand that is too many, and the usage
   */
  public Parsed atMost(int most) {
    if (operands.size() > most) {
      throw getopt.refusal("one operand too many: '" + operands.get(most) + "'");
    }
    return this;
  }
}
