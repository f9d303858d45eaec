package ib.driver.base;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigValues;
import ib.core.spi.FaultRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the raw values of a device configuration: refuses unknown keys, and reads the values that
 * all drivers share. For one thread.
 */
public final class Settings extends ConfigValues {
  /** The key of the device name. */
  public static final String NAME = "name";

  /** The key of the node GUID. */
  public static final String GUID = "guid";

  /** Largest number of entries of a P_Key table. */
  public static final int MAX_PKEYS = 128;

  private static final Pattern LABEL = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,62}");

  /** The values that {@link #label} allows. */
  static final String LABEL_ALLOWED =
      "a letter, then letters, digits, '_', '.', '-', at most 63 characters";

  private static final Pattern GUID_TEXT =
      Pattern.compile("(?:0[xX])?([0-9a-fA-F]{16})|([0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3})");
  private static final Pattern PKEY_TEXT = Pattern.compile("(?:0[xX])?([0-9a-fA-F]{1,4})");
  private static final Pattern SEED_TEXT = Pattern.compile("-?[0-9]{1,18}");
  private static final List<String> FOREIGN =
      List.of("service.", "felix.", "component.", "org.apache.felix.", ":configurator:", ".");

  /**
   * Creates a reader of values, and refuses unknown keys.
   *
   * @param raw the values; keys of the framework are ignored
   * @param known all known keys
   */
  public Settings(Map<String, ?> raw, Set<String> known) {
    super(raw);
    raw.keySet().stream()
        .filter(key -> raw.get(key) == null)
        .map(key -> key.toLowerCase(Locale.ROOT))
        .distinct()
        .forEach(key -> refuse(key, "no value", "a value, or leave the key out"));
    refuseUnknown(known);
  }

  private void refuseUnknown(Set<String> known) {
    for (String key : values.keySet()) {
      String k = key.toLowerCase(Locale.ROOT);
      if (!known.contains(k) && FOREIGN.stream().noneMatch(k::startsWith)) {
        refuse(
            "key " + shown(key) + " is unknown",
            "the keys " + known.stream().sorted().collect(Collectors.joining(", ")));
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
      if (guid != 0 && ((guid | guid + ports) >>> 56 & 1) == 0) {
        return guid;
      }
    }
    refuse(
        GUID,
        shown(value),
        "16 hex digits of an EUI-64 such as 02c90300000a0001, not zero, not a group address");
    return 0;
  }

  /**
   * Reads the P_Key table.
   *
   * @param key the key, of {@link DeviceKeys#pkeys}
   * @return the table, 16 bits each
   */
  public List<Integer> pkeys(ConfigKey.Text key) {
    List<Integer> pkeys = list(key, List.of(0xffff), Settings::pkey);
    boolean ok =
        !pkeys.isEmpty()
            && pkeys.size() <= key.entries()
            && new HashSet<>(pkeys).size() == pkeys.size()
            && pkeys.stream().allMatch(p -> (p & 0x7fff) != 0);
    if (!ok) {
      refuse(key);
      return List.of(0xffff);
    }
    return pkeys;
  }

  /** {@return the standing fault rules} */
  public List<FaultRule> faults() {
    ConfigKey.Text key = DeviceKeys.FAULTS;
    Object value = value(key);
    List<FaultRule> rules = new ArrayList<>();
    for (Object part : value == null ? List.of() : parts(value)) {
      String text = text(part);
      try {
        if (text == null || !text.isBlank()) {
          rules.add(FaultRule.parse(text == null ? "" : text));
        }
      } catch (IllegalArgumentException e) {
        refuse(key.name(), shown(part), key.allowed() + "; here " + shown(e.getMessage()));
      }
    }
    if (rules.size() > key.entries()) {
      refuse(key.name(), rules.size() + " rules", "at most " + key.entries());
    }
    return rules;
  }

  /** {@return the seed of the faults, if there is one} */
  public OptionalLong faultSeed() {
    Object value = value(DeviceKeys.FAULT_SEED);
    if (value == null || value.equals("")) {
      return OptionalLong.empty();
    }
    String text = value instanceof Integer || value instanceof Long ? value + "" : text(value);
    if (text != null && SEED_TEXT.matcher(text.strip()).matches()) {
      return OptionalLong.of(Long.parseLong(text.strip()));
    }
    refuse(DeviceKeys.FAULT_SEED);
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
  public <T> List<T> list(
      ConfigKey.Text key, List<T> standard, Function<String, Optional<T>> parse) {
    Object value = value(key);
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

  private static @Nullable String text(@Nullable Object value) {
    return value instanceof String s ? s : null;
  }
}
