package ib.tools.shell;

import ib.tools.output.Printable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.felix.service.command.Descriptor;
import org.jspecify.annotations.Nullable;

/** The commands of scope {@code ib}, whichever bundle has them, in groups, each with its line. */
public final class Catalogue implements Printable {
  /** Service property: the group of a service's commands. */
  public static final String GROUP = "ib.help";

  /** The first group. */
  public static final String DEVICES = "1 devices, as rdma-core and iproute2";

  /** The second group. */
  public static final String MEASUREMENTS =
      "2 measurements and connections, as perftest and librdmacm";

  /** The third group. */
  public static final String FABRIC = "3 the fabric, as infiniband-diags";

  /** The last group, for commands that no original has. */
  public static final String OWN = "4 this runtime (ib:NAME)";

  private final Map<String, Map<String, Entry>> groups = new TreeMap<>();

  /** One command. */
  private record Entry(String text, String arguments) {}

  /**
   * Adds those commands of a service that are methods with a {@link Descriptor}.
   *
   * @param type the service's class
   * @param functions names of its commands
   * @param group of the commands; null for the group of others
   */
  public void add(Class<?> type, Collection<String> functions, @Nullable String group) {
    for (String name : functions) {
      for (Method method : type.getMethods()) {
        Descriptor text = method.getAnnotation(Descriptor.class);
        if (text != null && method.getName().equals(name)) {
          add(group == null ? OWN : group, name, arguments(method), text.value());
        }
      }
    }
  }

  /**
   * Adds a command.
   *
   * @param group a digit for the order, a blank, and the heading
   * @param name without the scope
   * @param arguments what is typed behind the name
   * @param text what it does
   */
  public void add(String group, String name, String arguments, String text) {
    groups.computeIfAbsent(group, g -> new TreeMap<>()).put(name, new Entry(text, arguments));
  }

  private static String arguments(Method method) {
    return Arrays.stream(method.getParameters())
        .map(p -> p.getAnnotation(Descriptor.class))
        .filter(Objects::nonNull)
        .map(Descriptor::value)
        .collect(Collectors.joining(" "));
  }

  /**
   * {@return the sentence about a name that no command has}
   *
   * @param name what was typed, with a scope or without one
   */
  public String unknown(String name) {
    List<String> all = new ArrayList<>();
    groups.values().forEach(g -> all.addAll(g.keySet()));
    String bare = name.substring(name.indexOf(':') + 1);
    Map<String, Entry> own = groups.getOrDefault(OWN, Map.of());
    List<String> like =
        Likeness.find(bare, all).stream().map(n -> own.containsKey(n) ? "ib:" + n : n).toList();
    String hint =
        like.isEmpty()
            ? "help lists the commands"
            : "did you mean %s?".formatted(String.join(" or ", like));
    return name + ": no such command; " + hint;
  }

  /**
   * {@return the lines about a command; null when it is none of these}
   *
   * @param name with scope ib or without a scope
   */
  public @Nullable String about(String name) {
    String bare = name.startsWith("ib:") ? name.substring(3) : name;
    return groups.values().stream()
        .map(g -> g.get(bare))
        .filter(Objects::nonNull)
        .findFirst()
        .map(e -> "%s: %s%nusage: %s %s".formatted(bare, e.text(), bare, e.arguments()))
        .orElse(null);
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder();
    groups.forEach(
        (group, commands) -> {
          out.append(group.substring(2)).append('\n');
          commands.forEach((name, e) -> out.append("  %-18s %s%n".formatted(name, e.text())));
        });
    return out.append("help NAME: one command. NAME --help: its options. gogo:type: all commands.")
        .toString();
  }
}
