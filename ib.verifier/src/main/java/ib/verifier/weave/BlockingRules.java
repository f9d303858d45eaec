package ib.verifier.weave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The calls that may block, each with what to do instead. */
public final class BlockingRules {
  private static final String FILE = "blocking.rules";
  private static final Pattern RULE =
      Pattern.compile("((?:\\w+\\.)+[A-Z][\\w$]*\\.(?:\\w+(?:/\\d+)?|\\w*\\*))\\s+(\\S.*)");
  private static final String HARMLESS = "- "; // begins a rule of a call that does not block

  private final Map<String, String> instead = new HashMap<>();

  private BlockingRules() {}

  /** {@return the rules of this bundle} */
  public static BlockingRules standard() {
    try (InputStream in = BlockingRules.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("the bundle has no " + FILE);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return parse(FILE, text.lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads rules.
   *
   * @param file its name, for messages
   * @param lines its lines
   * @return the rules
   * @throws IllegalArgumentException names the line that is no rule, or is there twice
   */
  static BlockingRules parse(String file, List<String> lines) {
    BlockingRules rules = new BlockingRules();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        Matcher rule = RULE.matcher(line);
        if (!rule.matches()) {
          throw new IllegalArgumentException(
              file + ":" + (i + 1) + ": no rule (class.method, then what to do instead): " + line);
        }
        if (rules.instead.put(rule.group(1), rule.group(2)) != null) {
          throw new IllegalArgumentException(
              file + ":" + (i + 1) + ": a second rule of " + rule.group(1));
        }
      }
    }
    return rules;
  }

  /**
   * Returns what to do instead of a call.
   *
   * @param call the call, as {@link #find} named it
   * @return the advice, or an empty text
   */
  public String instead(String call) {
    String rule = rule(call);
    return rule == null || rule.startsWith(HARMLESS) ? "" : rule;
  }

  /**
   * Returns the call that may block, of a method of a class: the nearest class that has a rule of
   * the method counts.
   *
   * @return class and method, as the rule writes them, without a wildcard
   */
  Optional<String> find(Hierarchy hierarchy, String owner, String method, int parameters) {
    for (Facts facts : hierarchy.withSupertypes(owner)) {
      String call = facts.name().replace('/', '.') + "." + method;
      String counted = call + "/" + parameters;
      String name = instead.containsKey(counted) ? counted : call;
      String rule = rule(name);
      if (rule != null) {
        return rule.startsWith(HARMLESS) ? Optional.empty() : Optional.of(name);
      }
    }
    return Optional.empty();
  }

  /** {@return the text of the rule that says most of a call: its whole name, or its beginning} */
  private @Nullable String rule(String call) {
    String text = instead.get(call);
    for (int end = call.length(); text == null && end > call.lastIndexOf('.'); end--) {
      text = instead.get(call.substring(0, end) + "*");
    }
    return text;
  }
}
