package ib.core.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Compares all that tells users about a configuration with its declaration: the bundle's metatype
 * file, the table in {@code docs/configuration.md} and the files in {@code cnf/run/conf}. With
 * {@code -Dib.manual=write} the first two are written before they are compared.
 */
public final class ConfigManual {
  private static final Path MANUAL = Path.of("../docs/configuration.md");
  private static final Path CONF = Path.of("../cnf/run/conf");
  private static final Pattern COMMENT = Pattern.compile("([a-z][a-z_.]*) = ([^ ]+)");
  private static final Pattern SETTING = Pattern.compile("([a-z][a-z_.]*) = .*");

  private ConfigManual() {}

  /**
   * Compares the metatype file and the table.
   *
   * @param schema the declaration
   * @throws IOException when a file cannot be read
   */
  public static void check(ConfigSchema schema) throws IOException {
    Path file = Path.of("src/main/resources/OSGI-INF/metatype", schema.pid() + ".xml");
    String manual = Files.readString(MANUAL);
    if ("write".equals(System.getProperty("ib.manual"))) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, metatype(schema));
      manual = manual.replace(found(manual, schema), section(schema));
      Files.writeString(MANUAL, manual);
    }
    String hint = "run this test with -Dib.manual=write, and look at what has changed";
    assertEquals(metatype(schema), Files.readString(file), hint);
    assertEquals(section(schema), found(manual, schema), hint);
  }

  /** {@return the section of the manual about a PID, from its heading to the next one} */
  private static String found(String manual, ConfigSchema schema) {
    int start = manual.indexOf(heading(schema));
    assertTrue(start >= 0, MANUAL + " has no line " + heading(schema));
    int next = manual.indexOf("\n## ", start);
    return manual.substring(start, next < 0 ? manual.length() : next).stripTrailing() + "\n";
  }

  private static String heading(ConfigSchema schema) {
    return "## `" + schema.pid() + "`\n";
  }

  /**
   * Compares a file of the distribution: the keys that it sets, and each {@code key = default} in
   * its comments.
   *
   * @param schema the declaration
   * @param name the name of the file
   * @param omitted the keys that the file does not name
   * @throws IOException when the file cannot be read
   */
  public static void checkFile(ConfigSchema schema, String name, Set<String> omitted)
      throws IOException {
    assertEquals(List.of(), wrong(schema, Files.readAllLines(CONF.resolve(name)), omitted), name);
  }

  /** {@return what a file of the distribution says about keys that is not so} */
  static List<String> wrong(ConfigSchema schema, List<String> lines, Set<String> omitted) {
    Map<String, ConfigKey> left = new TreeMap<>();
    schema.keys().forEach(key -> left.put(key.name(), key));
    Map<String, ConfigKey> all = Map.copyOf(left);
    List<String> wrong = new ArrayList<>();
    for (String line : lines) {
      Matcher setting = SETTING.matcher(line);
      if (setting.matches()) {
        left.remove(setting.group(1));
        if (!all.containsKey(setting.group(1))) {
          wrong.add(line);
        }
      }
      Matcher comment = COMMENT.matcher(line.startsWith("#") ? line : "");
      while (comment.find()) {
        ConfigKey key = all.get(comment.group(1));
        left.remove(comment.group(1));
        boolean told = key != null && !key.standardText().isEmpty();
        if (key == null || told && !key.standardText().equals(comment.group(2))) {
          wrong.add(comment.group());
        }
      }
    }
    if (!left.keySet().equals(omitted)) {
      wrong.add("omits " + left.keySet());
    }
    return wrong;
  }

  /** {@return the section of the manual} */
  static String section(ConfigSchema schema) {
    StringBuilder out = new StringBuilder(heading(schema)).append('\n');
    out.append(schema.text())
        .append("\n\n| key | default | allowed | meaning |\n|---|---|---|---|\n");
    for (ConfigKey key : schema.keys()) {
      String standard = key.standardText().isEmpty() ? "" : "`" + key.standardText() + "`";
      List<String> cells =
          List.of("`" + key.name() + "`", standard, key.allowed(), key.text().replace("|", "\\|"));
      out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
    return out.toString();
  }

  /** {@return the metatype file} */
  static String metatype(ConfigSchema schema) {
    StringBuilder out =
        new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
            .append("<!-- written by the test of the configuration, with -Dib.manual=write -->\n")
            .append("<metatype:MetaData")
            .append(" xmlns:metatype=\"http://www.osgi.org/xmlns/metatype/v1.2.0\">\n  <OCD");
    attribute(out, "id", schema.pid());
    attribute(out, "name", schema.name());
    attribute(out, "description", schema.text());
    out.append(">\n");
    schema.keys().forEach(key -> definition(out, key));
    out.append("  </OCD>\n  <Designate");
    attribute(out, schema.factory() ? "factoryPid" : "pid", schema.pid());
    out.append(">\n    <Object");
    attribute(out, "ocdref", schema.pid());
    return out.append("/>\n  </Designate>\n</metatype:MetaData>\n").toString();
  }

  private static void definition(StringBuilder out, ConfigKey key) {
    String type = type(key);
    out.append("    <AD");
    attribute(out, "id", key.name());
    attribute(out, "name", key.name());
    attribute(out, "type", type);
    attribute(out, "required", "false");
    if (key.entries() > 0) {
      attribute(out, "cardinality", String.valueOf(key.entries()));
    }
    if (key instanceof ConfigKey.Whole whole) {
      attribute(out, "min", String.valueOf(whole.least()));
      attribute(out, "max", String.valueOf(whole.most()));
    }
    if (!key.standardText().isEmpty()) {
      attribute(out, "default", key.standardText());
    }
    boolean text = key instanceof ConfigKey.Text;
    attribute(out, "description", key.text() + (text ? " Allowed: " + key.allowed() + "." : ""));
    boolean options = key instanceof ConfigKey.Choice && !type.equals("Boolean");
    if (!options) {
      out.append("/>\n");
      return;
    }
    out.append(">\n");
    for (String word : ((ConfigKey.Choice<?>) key).words().keySet()) {
      out.append("      <Option");
      attribute(out, "label", word);
      attribute(out, "value", word);
      out.append("/>\n");
    }
    out.append("    </AD>\n");
  }

  private static String type(ConfigKey key) {
    return switch (key) {
      case ConfigKey.Whole whole -> "Integer";
      case ConfigKey.Text text -> text.secret() ? "Password" : "String";
      case ConfigKey.Choice<?> choice -> {
        String words = choice.words().keySet().stream().collect(Collectors.joining());
        boolean flag = choice.words().containsValue(true);
        yield flag && choice.entries() == 0
            ? "Boolean"
            : words.matches("\\d+") ? "Integer" : "String";
      }
    };
  }

  private static void attribute(StringBuilder out, String name, String value) {
    String escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    out.append(' ').append(name).append("=\"").append(escaped).append('"');
  }
}
