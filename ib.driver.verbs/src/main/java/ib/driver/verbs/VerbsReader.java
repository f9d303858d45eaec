package ib.driver.verbs;

import ib.driver.base.Settings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads configurations; refuses unknown keys and reports all wrong values at once (F25). */
final class VerbsReader {
  private static final Pattern PATTERN = Pattern.compile("!?[A-Za-z0-9_.*-]{1,63}");
  private static final Pattern PREFIX = Pattern.compile("([A-Za-z][A-Za-z0-9_.-]{0,31})?");
  private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_.-]{1,63}");

  private VerbsReader() {}

  /**
   * Which devices of the host, and how they are called.
   *
   * @param patterns the last that fits decides
   * @param prefix before the kernel's names
   */
  record Selection(List<String> patterns, String prefix) {
    static final Selection NONE = new Selection(List.of(), "");

    boolean takes(String device) {
      boolean taken = false;
      for (String pattern : patterns) {
        boolean not = pattern.startsWith("!");
        String text = not ? pattern.substring(1) : pattern;
        if (device.matches(
            Pattern.quote(text).replace("*", "\\E.*\\Q"))) { // a quoted text has no other signs
          taken = !not;
        }
      }
      return taken;
    }
  }

  /**
   * Reads the configuration of the driver.
   *
   * @param raw the values
   * @return the selection
   * @throws ib.core.verbs.IbInvalidException naming each key with a wrong value
   */
  static Selection selection(Map<String, ?> raw) {
    Settings settings = new Settings(raw, VerbsKeys.SCHEMA.names());
    List<String> patterns =
        settings.list(
            VerbsKeys.DEVICES,
            List.of("*"),
            text -> PATTERN.matcher(text).matches() ? Optional.of(text) : Optional.empty());
    if (patterns.isEmpty() || patterns.size() > VerbsKeys.DEVICES.entries()) {
      settings.refuse(VerbsKeys.DEVICES);
    }
    Object prefix = settings.value(VerbsKeys.PREFIX);
    String before = prefix instanceof String s ? s.strip() : "";
    if ((prefix != null && !(prefix instanceof String)) || !PREFIX.matcher(before).matches()) {
      settings.refuse(VerbsKeys.PREFIX);
    }
    settings.end(VerbsDriver.PID);
    return new Selection(patterns, before);
  }

  /**
   * Reads the configuration of one device.
   *
   * @param instance name of the configuration; that of the device where there is no key {@code
   *     name}, and the kernel's name where there is no key {@code device}
   * @param raw the values
   * @return the configuration
   * @throws ib.core.verbs.IbInvalidException naming each key with a wrong value
   */
  static VerbsConfig read(String instance, Map<String, ?> raw) {
    Settings settings = new Settings(raw, VerbsKeys.DEVICE_KEYS);
    String name = settings.label(Settings.NAME, instance);
    Object value = settings.value(VerbsKeys.DEVICE);
    String device = value == null || value.equals("") ? instance : value.toString().strip();
    if (!DEVICE.matcher(device).matches()) {
      settings.refuse(VerbsKeys.DEVICE);
    }
    Object guid = settings.value(VerbsKeys.NODE_GUID);
    long given = guid == null || guid.equals("") ? 0 : settings.guid(name, 0);
    settings.end(instance);
    return new VerbsConfig(name, device, given);
  }
}
