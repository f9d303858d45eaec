package ib.tools.output;

import java.util.AbstractList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/**
 * An immutable list of values, with the text to print.
 *
 * @param <T> type of the values
 */
public final class Listing<T> extends AbstractList<T> implements Printable, IntSupplier {
  private final List<T> values;
  private final Function<List<T>, String> printer;
  private final int status;

  /**
   * Creates a list.
   *
   * @param values the values; copied
   * @param printer makes the text, without the last line's end
   */
  public Listing(List<T> values, Function<List<T>, String> printer) {
    this(values, printer, 0);
  }

  private Listing(List<T> values, Function<List<T>, String> printer, int status) {
    this.values = List.copyOf(values);
    this.printer = printer;
    this.status = status;
  }

  /**
   * Returns the list as the result of a command that sets the exit status.
   *
   * @param exitStatus of {@code ib exec} when the command is the last one
   * @return the same values and text
   */
  public Listing<T> withStatus(int exitStatus) {
    return new Listing<>(values, printer, exitStatus);
  }

  /** {@return the exit status of the command whose result this is} */
  @Override
  public int getAsInt() {
    return status;
  }

  /**
   * Returns a list that prints one line per value.
   *
   * @param <T> type of the values
   * @param values the values; copied
   * @return the list
   */
  public static <T extends Printable> Listing<T> ofLines(List<T> values) {
    return new Listing<>(values, Listing::lines);
  }

  /**
   * Returns a list that prints as a JSON array.
   *
   * @param <T> type of the values
   * @param values the values; copied
   * @param pretty whether to break and indent lines
   * @return the list
   */
  public static <T> Listing<T> ofJson(List<T> values, boolean pretty) {
    return new Listing<>(values, list -> Json.write(list, pretty));
  }

  private static String lines(List<? extends Printable> values) {
    return values.stream().map(Printable::text).collect(Collectors.joining("\n"));
  }

  @Override
  public T get(int index) {
    return values.get(index);
  }

  @Override
  public int size() {
    return values.size();
  }

  @Override
  public String text() {
    return printer.apply(values);
  }
}
