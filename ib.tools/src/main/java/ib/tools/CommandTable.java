package ib.tools;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.felix.service.command.CommandSession;
import org.jspecify.annotations.Nullable;

/**
 * Commands of scope {@code ib}, in groups: what a user reads of each, and what it runs. A table is
 * a service of the shell, with the names of all its commands.
 */
public final class CommandTable {
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private String group;

  CommandTable(String group) {
    this.group = group;
  }

  /**
   * A command.
   *
   * @param group the heading under which {@code help} lists it
   * @param name without the scope
   * @param arguments what {@code help NAME} prints behind the name
   * @param text its line in the list
   * @param body returns a value that the shell prints through {@link PrintableConverter}, or throws
   *     a {@link ib.tools.getopt.CommandException} whose text the shell prints; the thread of the
   *     shell session calls
   */
  public record Row(
      String group,
      String name,
      String arguments,
      String text,
      BiFunction<CommandSession, String[], @Nullable Object> body) {}

  /** A row that has no body yet. */
  @FunctionalInterface
  interface Beginning {
    CommandTable runs(BiFunction<CommandSession, String[], @Nullable Object> body);
  }

  /** Begins a group. */
  CommandTable group(String next) {
    group = next;
    return this;
  }

  /** Begins a row, with the name and the arguments as the user types them. */
  Beginning command(String usage, String text) {
    String name = usage.split(" ", 2)[0];
    String arguments = usage.substring(name.length()).stripLeading();
    return body -> {
      rows.put(name, new Row(group, name, arguments, text, body));
      return this;
    };
  }

  /** {@return the names of the commands} */
  public Set<String> names() {
    return rows.keySet();
  }

  /** {@return the commands} */
  public Collection<Row> rows() {
    return rows.values();
  }

  /**
   * Runs a command. The shell calls a method of this name for every name that the service has, and
   * makes words of the arguments.
   *
   * @param session the shell's
   * @param name the command
   * @param args its arguments
   * @return the value
   */
  @SuppressWarnings("checkstyle:MethodName")
  public @Nullable Object _main(CommandSession session, String name, String... args) {
    Row row = Objects.requireNonNull(rows.get(name), name);
    return Invocation.run(() -> row.body().apply(session, args));
  }
}
