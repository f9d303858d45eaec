package ib.tools.getopt;

import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A command line that was read. */
public final class Parsed {
  private final Getopt getopt;
  private final List<Option> options;
  private final List<String> operands;

  /**
   * An option that was given.
   *
   * @param name its long name
   * @param argument its argument, empty when it takes none
   */
  public record Option(String name, String argument) {}

  Parsed(Getopt getopt, List<Option> options, List<String> operands) {
    this.getopt = getopt;
    this.options = List.copyOf(options);
    this.operands = List.copyOf(operands);
  }

  /** {@return what is not an option, in order} */
  public List<String> operands() {
    return operands;
  }

  /**
   * Asks for a switch.
   *
   * @param name long name
   * @return whether it was given
   */
  public boolean has(String name) {
    return count(name) > 0;
  }

  /**
   * Asks for a switch that may be repeated.
   *
   * @param name long name
   * @return how often it was given
   */
  public int count(String name) {
    return all(name).size();
  }

  /**
   * Asks for an option that may be repeated.
   *
   * @param name long name
   * @return its arguments, in order
   */
  public List<String> all(String name) {
    return options.stream().filter(o -> o.name.equals(name)).map(Option::argument).toList();
  }

  /**
   * Asks for an argument; the last one counts.
   *
   * @param name long name
   * @return the argument, or null
   */
  public @Nullable String last(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? null : all.getLast();
  }

  /**
   * Asks for a number.
   *
   * @param name long name
   * @param absent the value when the option was not given
   * @param valid what is allowed
   * @return the number
   * @throws CommandException with the usage, when it is no number or not allowed
   */
  public long number(String name, long absent, LongPredicate valid) {
    String text = last(name);
    if (text == null) {
      return absent;
    }
    try {
      return Numbers.parse(text, valid);
    } catch (NumberFormatException e) {
      CommandException refusal = getopt.refusal();
      refusal.initCause(e);
      throw refusal;
    }
  }

  /**
   * As {@link #number(String, long, LongPredicate)}, between bounds.
   *
   * @param name long name
   * @param absent the value when the option was not given
   * @param least least value
   * @param most greatest value
   * @return the number
   */
  public int number(String name, int absent, int least, int most) {
    return (int) number(name, absent, v -> v >= least && v <= most);
  }

  /**
   * Refuses surplus operands.
   *
   * @param most how many are allowed
   * @return this
   * @throws CommandException with the usage
   */
  public Parsed atMost(int most) {
    if (operands.size() > most) {
      throw getopt.refusal();
    }
    return this;
  }
}
