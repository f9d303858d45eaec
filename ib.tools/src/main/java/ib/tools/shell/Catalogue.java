package ib.tools.shell;

import ib.tools.output.Printable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.felix.service.command.Descriptor;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/**
 * The commands of scope {@code ib}, whichever bundle has them, in groups, each with the line of its
 * {@link Descriptor}.
 */
public final class Catalogue implements Printable {
  /** Service property: the group of a service's commands. */
  public static final String GROUP = "ib.help";

  private static final String COMMANDS = "(&(osgi.command.scope=ib)(osgi.command.function=*))";
  private static final String DEVICES = "1 devices, as rdma-core and iproute2";
  private static final String OWN = "4 this runtime (ib:NAME)";

  private final Map<String, Map<String, String>> groups = new TreeMap<>();

  /**
   * Reads the commands that there are.
   *
   * @param context of any bundle
   */
  public Catalogue(BundleContext context) {
    try {
      for (ServiceReference<?> each : context.getAllServiceReferences(null, COMMANDS)) {
        Object service = context.getService(each);
        if (service != null) {
          add(service.getClass(), functions(each), String.valueOf(each.getProperty(GROUP)));
          context.ungetService(each);
        }
      }
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e); // the filter is a constant
    }
  }

  private static Collection<String> functions(ServiceReference<?> reference) {
    return switch (reference.getProperty("osgi.command.function")) {
      case String one -> List.of(one);
      case Object[] many -> Arrays.stream(many).map(Object::toString).toList();
      case Collection<?> many -> many.stream().map(Object::toString).toList();
      default -> List.of();
    };
  }

  private void add(Class<?> type, Collection<String> functions, String group) {
    for (String name : functions) {
      for (Method method : type.getMethods()) {
        Descriptor text = method.getAnnotation(Descriptor.class);
        if (text != null && method.getName().equals(name)) {
          groups.computeIfAbsent(group(name, group), g -> new TreeMap<>()).put(name, text.value());
        }
      }
    }
  }

  private static String group(String name, String given) {
    boolean device = name.startsWith("ibv_") || name.equals("rdma") || name.equals("perfquery");
    return device ? DEVICES : given.equals("null") ? OWN : given;
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
    List<String> like = Likeness.find(bare, all);
    String hint =
        like.isEmpty()
            ? "help lists the commands"
            : "did you mean %s?".formatted(String.join(" or ", like));
    return name + ": no such command; " + hint;
  }

  /**
   * {@return a command's name with its scope, if it is of scope ib}
   *
   * @param name with a scope or without one
   */
  public String scoped(String name) {
    return groups.values().stream().anyMatch(g -> g.containsKey(name)) ? "ib:" + name : name;
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder();
    groups.forEach(
        (group, commands) -> {
          out.append(group.substring(2)).append('\n');
          commands.forEach((name, text) -> out.append("  %-18s %s%n".formatted(name, text)));
        });
    return out.append("help NAME: one command. NAME --help: its options. gogo:type: all commands.")
        .toString();
  }
}
