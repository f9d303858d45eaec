package ib.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Findings A18: an implementation of Remote Services imports what bundles wait for. So each
 * reference, tracker, listener and look of product code asks for local services, by {@code
 * ib.core.client.LocalServices} or a constant that is made of it; the launcher, which has no class
 * of the core, by its own.
 */
final class ImportedRules {
  private static final String ASKS = "LocalServices|LOCAL_SERVICES|service\\.imported";

  private static final Pattern CONSTANT =
      Pattern.compile("static final String (\\w+)\\s*=([^;]*(?:" + ASKS + ")[^;]*);");

  private static final Pattern LOOK =
      Pattern.compile(
          "@Reference\\b(?!;)|\\.getServiceReference\\((?!\\))|\\.get(?:All)?ServiceReferences\\(|new ServiceTracker<"
              + "|extends ServiceTracker<|\\.addServiceListener\\(");

  private ImportedRules() {}

  /** {@return the constants of a source that ask for local services} */
  static List<String> constants(Source source) {
    return CONSTANT.matcher(text(source)).results().map(m -> m.group(1)).toList();
  }

  /**
   * {@return what looks for a service and may find one of another runtime}
   *
   * @param constants names of constants that ask for local services
   */
  static List<String> check(Source source, List<String> constants) {
    if (!source.product() || source.room().startsWith("samples")) {
      return List.of();
    }
    String names = constants.stream().map(c -> "|\\b" + c + "\\b").collect(Collectors.joining());
    Pattern local = Pattern.compile(ASKS + names);
    String text = text(source);
    List<String> found = new ArrayList<>();
    Matcher look = LOOK.matcher(text);
    while (look.find()) {
      String statement = text.substring(look.start(), end(text, look.end()));
      boolean unfiltered = statement.matches("\\.addServiceListener\\(\\w+\\)[^,]*"); // no wish
      if (!unfiltered && !local.matcher(statement).find()) {
        found.add(source.path() + ": may take an imported service: " + look.group());
      }
    }
    return found;
  }

  private static int end(String text, int from) {
    int next = text.indexOf(';', from);
    return next < 0 ? text.length() : next;
  }

  private static String text(Source source) {
    return String.join("\n", source.lines());
  }
}
