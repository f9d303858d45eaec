package ib.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * The content of {@code ib.bndrun}: bundles, their start levels, and framework properties. The
 * launcher, the itests and the check of the distribution's folders all read it.
 *
 * @param bundles the bundles of {@code -runbundles}, in file order
 * @param frameworkProperties {@code -runproperties}, and {@code -runsystempackages} under its OSGi
 *     name
 */
public record RunDescriptor(List<RunBundle> bundles, Map<String, String> frameworkProperties) {
  /**
   * Start level of the bundles in {@code deploy/}, which may be added and removed while the
   * framework runs.
   */
  public static final int HOT = 20;

  private static final Pattern CLAUSES = Pattern.compile("\\s*,\\s*(?=(?:[^']*'[^']*')*[^']*$)");

  /**
   * One bundle to run.
   *
   * @param symbolicName symbolic name of the bundle, also the name of its jar
   * @param startLevel framework start level of the bundle
   */
  public record RunBundle(String symbolicName, int startLevel) {}

  /**
   * Reads a run descriptor.
   *
   * @param file a resolved {@code .bndrun} file
   * @throws IOException when the file cannot be read or has no {@code -runbundles}
   */
  public static RunDescriptor read(Path file) throws IOException {
    Properties text = new Properties();
    try (var reader = Files.newBufferedReader(file)) {
      text.load(reader);
    }
    List<String> levels = clauses(text, "-ib.startlevels");
    List<RunBundle> bundles = new ArrayList<>();
    for (String clause : clauses(text, "-runbundles")) {
      String name = clause.split(";", 2)[0];
      bundles.add(new RunBundle(name, level(levels, name)));
    }
    if (bundles.isEmpty()) {
      throw new IOException(file + " has no -runbundles: build it with 'mvn package'");
    }
    Map<String, String> properties = new LinkedHashMap<>();
    for (String clause : clauses(text, "-runproperties")) {
      String[] keyAndValue = clause.split("=", 2);
      properties.put(keyAndValue[0], keyAndValue[1]);
    }
    properties.put(
        "org.osgi.framework.system.packages.extra",
        String.join(",", clauses(text, "-runsystempackages")));
    return new RunDescriptor(List.copyOf(bundles), Map.copyOf(properties));
  }

  private static List<String> clauses(Properties text, String key) {
    String value = text.getProperty(key, "").strip();
    return value.isEmpty() ? List.of() : List.of(CLAUSES.split(value));
  }

  private static int level(List<String> levels, String name) throws IOException {
    for (String clause : levels) {
      String[] globAndLevel = clause.split(";level=", 2);
      String glob = globAndLevel[0];
      boolean hit =
          glob.endsWith("*")
              ? name.startsWith(glob.substring(0, glob.length() - 1))
              : name.equals(glob);
      if (hit) {
        return Integer.parseInt(globAndLevel[1]);
      }
    }
    throw new IOException("no start level for " + name + " in -ib.startlevels");
  }
}
