package ib.core.config;

import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the raw values of one configuration by the declarations of their keys. Values are what the
 * Configuration Admin delivers: text from a file, typed values from a shell. A wrong value is
 * recorded and its default returned; {@link #end} then throws for all wrong values at once, with
 * each key, its value and what is allowed (F25). Upper and lower case of keys is ignored, and so
 * are unknown keys. For one thread.
 */
public class ConfigValues {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,10}");

  /** With which some editors begin a file; fileinstall reads it as Latin-1 (B12). */
  private static final Pattern BYTE_ORDER_MARK = Pattern.compile("^(?:\u00ef\u00bb\u00bf|\ufeff)");

  /** The values by their keys. */
  protected final TreeMap<String, Object> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private final List<String> wrong = new ArrayList<>();
  private final List<String> allowed = new ArrayList<>();

  /**
   * Creates a reader.
   *
   * @param raw the values
   */
  public ConfigValues(Map<String, ?> raw) {
    raw.forEach(
        (key, value) -> {
          String name = BYTE_ORDER_MARK.matcher(key).replaceFirst("");
          boolean none = !name.equals(key) && (name.isEmpty() || name.startsWith("#"));
          if (value != null && !none) {
            values.put(name, value);
          }
        });
  }

  /**
   * Ends the reading.
   *
   * @param name name of the configuration
   * @throws IbInvalidException naming each key with a wrong value
   */
  public final void end(String name) {
    if (!wrong.isEmpty()) {
      throw new IbInvalidException(
          "configuration " + shown(name), String.join("; ", wrong), String.join("; ", allowed));
    }
  }

  /**
   * Returns the raw value of a key.
   *
   * @param key the key
   * @return the value; null when it is absent
   */
  public final @Nullable Object value(ConfigKey key) {
    return values.get(key.name());
  }

  /**
   * Reads a number.
   *
   * @param key the key
   * @return the value; the default when it is absent or wrong
   */
  public final int number(ConfigKey.Whole key) {
    Object value = value(key);
    if (value == null) {
      return key.standard();
    }
    long number =
        switch (value) {
          case Integer i -> i;
          case Long l -> l;
          case Short s -> s;
          case Byte b -> b;
          case String s when NUMBER.matcher(s.strip()).matches() -> Long.parseLong(s.strip());
          default -> Long.MIN_VALUE;
        };
    if (number < key.least() || number > key.most()) {
      refuse(key);
      return key.standard();
    }
    return (int) number;
  }

  /**
   * Reads one of the words of a key.
   *
   * @param key the key, for one word
   * @param <T> type of what a word stands for
   * @return what the word stands for; the default when the key is absent or wrong
   */
  public final <T> T choice(ConfigKey.Choice<T> key) {
    Object value = value(key);
    T chosen = key.words().get(value == null ? key.standardText() : word(value));
    if (chosen == null) {
      refuse(key);
      chosen = key.words().get(key.standardText());
    }
    if (chosen == null) {
      throw new IllegalArgumentException(key.name() + " has no default, so it is a list");
    }
    return chosen;
  }

  /**
   * Reads a list of the words of a key.
   *
   * @param key the key
   * @param <T> type of what a word stands for
   * @return what the words stand for; the default when the key is absent, has no entry (a blank
   *     text has none), or is wrong
   */
  public final <T> List<T> choices(ConfigKey.Choice<T> key) {
    Object value = value(key);
    List<T> chosen = new ArrayList<>();
    boolean blank = value instanceof String s && s.isBlank();
    for (Object part : value == null || blank ? List.of() : parts(value)) {
      T one = key.words().get(word(part));
      if (one == null || chosen.size() == key.entries()) {
        refuse(key);
        chosen.clear();
        break;
      }
      chosen.add(one);
    }
    T standard = key.words().get(key.standardText());
    return chosen.isEmpty() && standard != null ? List.of(standard) : chosen;
  }

  private static String word(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case String s -> s.strip();
      case Integer i -> i.toString();
      case Long l -> l.toString();
      case Boolean b -> b.toString();
      default -> "";
    };
  }

  /**
   * Returns the parts of a list.
   *
   * @param value comma separated text, an array or a collection
   * @return the parts; a value of any other type is its only part
   */
  public static Collection<?> parts(Object value) {
    return switch (value) {
      case String s -> Arrays.asList(s.split(",", -1));
      case Object[] a -> Arrays.asList(a);
      case Collection<?> c -> c;
      default -> List.of(value);
    };
  }

  /**
   * Records for {@link #end} that the value of a key is wrong.
   *
   * @param key the key, whose declaration says what is allowed
   */
  public final void refuse(ConfigKey key) {
    boolean secret = key instanceof ConfigKey.Text text && text.secret();
    refuse(key.name(), secret ? "not shown" : shown(value(key)), key.allowed());
  }

  /**
   * Records a wrong value for {@link #end}.
   *
   * @param key the name of the key
   * @param value the value as {@link #shown} returns it
   * @param allow what is allowed
   */
  public final void refuse(String key, String value, String allow) {
    refuse("key " + key + " is " + value, key + ": " + allow);
  }

  /**
   * Records something wrong for {@link #end}.
   *
   * @param what what is wrong
   * @param allow what is allowed
   */
  protected final void refuse(String what, String allow) {
    wrong.add(what);
    allowed.add(allow);
  }

  /**
   * Returns a value as printable text for one line of a log; a value that is no text with its type.
   *
   * @param value the value
   * @return at most 60 characters of the value, and its type
   */
  public static String shown(@Nullable Object value) {
    if (value == null) {
      return "absent";
    }
    String text = value instanceof Object[] a ? Arrays.toString(a) : value.toString();
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .limit(60)
        .forEach(
            c -> {
              if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                out.append(String.format("\\u%04x", c));
              } else {
                out.appendCodePoint(c);
              }
            });
    if (text.codePointCount(0, text.length()) > 60) {
      out.append('…');
    }
    return value instanceof String
        ? "'" + out + "'"
        : out + " (" + value.getClass().getSimpleName() + ")";
  }
}
