package ib.driver.base;

import ib.core.spi.FaultRule;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads raw configuration values: refuses unknown keys, and throws in {@link #end} only (F25).
 * Values are what the Configuration Admin delivers: text from a file, typed values from a shell.
 * All wrong values are reported at once, with key, value and what is allowed. For one thread.
 */
public final class Settings {
  /** The key of the device name. */
  public static final String NAME = "name";

  /** The key of the node GUID. */
  public static final String GUID = "guid";

  /** The key of the MTU. */
  public static final String MTU = "mtu";

  /** The key of the P_Key table. */
  public static final String PKEYS = "pkeys";

  /** The key of the standing faults. */
  public static final String FAULTS = "faults";

  /** The key of the seed of the faults. */
  public static final String FAULT_SEED = "fault_seed";

  private static final int FAULTS_MOST = 64;

  /** Largest number of entries of a P_Key table. */
  public static final int PKEYS_MOST = 128;

  private static final Pattern LABEL = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,62}");
  private static final String LABEL_ALLOWED =
      "a letter, then letters, digits, '_', '.', '-', at most 63 characters";
  private static final Pattern GUID_TEXT =
      Pattern.compile("(?:0[xX])?([0-9a-fA-F]{16})|([0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3})");
  private static final Pattern PKEY_TEXT = Pattern.compile("(?:0[xX])?([0-9a-fA-F]{1,4})");
  private static final Pattern SEED_TEXT = Pattern.compile("-?[0-9]{1,18}");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,10}");
  private static final List<String> FOREIGN =
      List.of("service.", "felix.", "component.", "org.apache.felix.", ":configurator:", ".");

  private final TreeMap<String, Object> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final List<String> wrong = new ArrayList<>();
  private final List<String> allowed = new ArrayList<>();

  /**
   * Creates a reader of values, and refuses unknown keys.
   *
   * @param raw the values; keys of the framework are ignored
   * @param known all known keys
   */
  public Settings(Map<String, ?> raw, Set<String> known) {
    Set<String> nulls = new HashSet<>();
    raw.forEach(
        (key, value) -> {
          if (value == null) {
            nulls.add(key.toLowerCase(Locale.ROOT));
          } else {
            values.put(key, value);
          }
        });
    nulls.forEach(key -> refuse(key, "no value", "a value, or leave the key out"));
    refuseUnknown(known);
  }

  /**
   * Ends the reading.
   *
   * @param instance name of the configuration
   * @throws IbInvalidException naming each key with a wrong value
   */
  public void end(String instance) {
    if (!wrong.isEmpty()) {
      throw new IbInvalidException(
          "configuration " + shown(instance), String.join("; ", wrong), String.join("; ", allowed));
    }
  }

  /**
   * Returns the raw value of a key.
   *
   * @param key the key
   * @return the value; null when it is absent
   */
  public @Nullable Object value(String key) {
    return values.get(key);
  }

  private void refuseUnknown(Set<String> known) {
    for (String key : values.keySet()) {
      String k = key.toLowerCase(Locale.ROOT);
      if (!known.contains(k) && FOREIGN.stream().noneMatch(k::startsWith)) {
        wrong.add("key " + shown(key) + " is unknown");
        allowed.add("the keys " + known.stream().sorted().collect(Collectors.joining(", ")));
      }
    }
  }

  /**
   * Reads a name.
   *
   * @param key the key
   * @param standard the value when the key is absent or empty
   * @return a letter, then letters, digits, '_', '.' and '-', at most 63 characters; empty if the
   *     value was refused
   */
  public String label(String key, String standard) {
    Object value = values.get(key);
    String text = value == null || value.equals("") ? standard : text(value);
    if (text == null || !LABEL.matcher(text).matches()) {
      refuse(key, shown(value == null ? standard : value), LABEL_ALLOWED);
      return "";
    }
    return text;
  }

  /**
   * Reads a number.
   *
   * @param key the key
   * @return the value; the default when it is absent or wrong
   */
  public int number(NumberKey key) {
    return number(key.key(), key.least(), key.standard(), key.most());
  }

  /**
   * Reads a number.
   *
   * @param key the key
   * @param least the smallest value
   * @param standard the default, for an absent or wrong value
   * @param most the largest value
   * @return the value
   */
  public int number(String key, int least, int standard, int most) {
    Object value = values.get(key);
    if (value == null) {
      return standard;
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
    if (number < least || number > most) {
      refuse(key, shown(value), "a whole number, " + least + " to " + most);
      return standard;
    }
    return (int) number;
  }

  /**
   * Reads the node GUID: an EUI-64, not zero, not a group address, with free numbers after it for
   * the ports.
   *
   * @param name device name, from which the GUID is derived when the key is absent or empty
   * @param ports number of GUIDs that follow the node GUID
   * @return the GUID
   */
  public long guid(String name, int ports) {
    Object value = values.get(GUID);
    if (value == null || value.equals("")) {
      return Guids.ofName(name);
    }
    String text = text(value);
    var m = text == null ? null : GUID_TEXT.matcher(text.strip());
    if (m != null && m.matches()) {
      String digits = m.group(1) != null ? m.group(1) : m.group(2).replace(":", "");
      long guid = Long.parseUnsignedLong(digits, 16);
      if (guid != 0 && (guid >>> 56 & 1) == 0 && (guid & 0xff) + ports <= 0xff) {
        return guid;
      }
    }
    refuse(
        GUID,
        shown(value),
        "16 hex digits of an EUI-64 such as 02c90300000a0001, not zero, not a group address, the last"
            + " byte at most "
            + String.format("%02x", 0xff - ports)
            + " since the ports have the numbers after it");
    return 0;
  }

  /** {@return the MTU; 4096 when the key is absent or wrong} */
  public Mtu mtu() {
    Object value = values.get(MTU);
    String text = value instanceof Integer || value instanceof Long ? value + "" : text(value);
    for (Mtu mtu : Mtu.values()) {
      if (text != null && text.strip().equals(mtu.bytes() + "")) {
        return mtu;
      }
    }
    if (value != null) {
      refuse(
          MTU,
          shown(value),
          "bytes: "
              + Stream.of(Mtu.values()).map(m -> m.bytes() + "").collect(Collectors.joining(", ")));
    }
    return Mtu.MTU_4096;
  }

  /** {@return the P_Key table, 16 bits each} */
  public List<Integer> pkeys() {
    List<Integer> pkeys = list(PKEYS, List.of(0xffff), Settings::pkey);
    boolean ok =
        !pkeys.isEmpty()
            && pkeys.size() <= PKEYS_MOST
            && new HashSet<>(pkeys).size() == pkeys.size()
            && pkeys.stream().allMatch(p -> (p & 0x7fff) != 0);
    if (!ok) {
      refuse(
          PKEYS,
          shown(values.get(PKEYS)),
          "1 to "
              + PKEYS_MOST
              + " different P_Keys, comma separated, hex such as 0xffff, not 0 or 0x8000");
      return List.of(0xffff);
    }
    return pkeys;
  }

  /** {@return the standing fault rules} */
  public List<FaultRule> faults() {
    Object value = values.get(FAULTS);
    List<FaultRule> rules = new ArrayList<>();
    for (Object part : value == null ? List.of() : parts(value)) {
      String text = text(part);
      try {
        if (text == null || !text.isBlank()) {
          rules.add(FaultRule.parse(text == null ? "" : text));
        }
      } catch (IllegalArgumentException e) {
        refuse(
            FAULTS,
            shown(part),
            "rules such as 'loss rate=0.05', comma separated; here " + shown(e.getMessage()));
      }
    }
    if (rules.size() > FAULTS_MOST) {
      refuse(FAULTS, rules.size() + " rules", "at most " + FAULTS_MOST);
    }
    return rules;
  }

  /** {@return the seed of the faults, if there is one} */
  public OptionalLong faultSeed() {
    Object value = values.get(FAULT_SEED);
    if (value == null || value.equals("")) {
      return OptionalLong.empty();
    }
    String text = value instanceof Integer || value instanceof Long ? value + "" : text(value);
    if (text != null && SEED_TEXT.matcher(text.strip()).matches()) {
      return OptionalLong.of(Long.parseLong(text.strip()));
    }
    refuse(FAULT_SEED, shown(value), "a whole number of at most 18 digits");
    return OptionalLong.empty();
  }

  private static Optional<Integer> pkey(String text) {
    var m = PKEY_TEXT.matcher(text);
    return m.matches() ? Optional.of(Integer.parseInt(m.group(1), 16)) : Optional.empty();
  }

  /**
   * Reads a list: comma separated text, an array or a collection.
   *
   * @param key the key
   * @param standard the elements when the key is absent or has none
   * @param parse parses an element; empty for wrong text
   * @param <T> type of the elements
   * @return the elements; empty when one is wrong
   */
  public <T> List<T> list(String key, List<T> standard, Function<String, Optional<T>> parse) {
    Object value = values.get(key);
    if (value == null) {
      return standard;
    }
    Collection<?> parts = parts(value);
    List<T> parsed = new ArrayList<>();
    for (Object part : parts) {
      Optional<T> one = part instanceof String s ? parse.apply(s.strip()) : Optional.empty();
      if (one.isEmpty()) {
        return List.of();
      }
      parsed.add(one.get());
    }
    return parsed.isEmpty() ? standard : parsed;
  }

  private static Collection<?> parts(Object value) {
    return switch (value) {
      case String s -> Arrays.asList(s.split(",", -1));
      case Object[] a -> Arrays.asList(a);
      case Collection<?> c -> c;
      default -> List.of(1);
    };
  }

  private static @Nullable String text(@Nullable Object value) {
    return value instanceof String s ? s : null;
  }

  /**
   * Records a wrong value for {@link #end}.
   *
   * @param key the key
   * @param value the value as {@link #shown} returns it
   * @param allow what is allowed
   */
  public void refuse(String key, String value, String allow) {
    wrong.add("key " + key + " is " + value);
    allowed.add(key + ": " + allow);
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
