package ib.core.config;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All keys of one PID.
 *
 * @param pid the PID, or the factory PID
 * @param factory whether the configurations are those of a factory PID, one for each device
 * @param name the title in tools that show metatype
 * @param text what the configuration is for and what a change of it does
 * @param keys the keys, in the order of the manual
 */
public record ConfigSchema(
    String pid, boolean factory, String name, String text, List<ConfigKey> keys) {
  /** Copies the list, and refuses two keys with one name. */
  public ConfigSchema {
    keys = List.copyOf(keys);
    if (keys.stream().map(ConfigKey::name).distinct().count() < keys.size()) {
      throw new IllegalArgumentException(pid + " has two keys with one name");
    }
  }

  /** {@return the names of all keys} */
  public Set<String> names() {
    return keys.stream().map(ConfigKey::name).collect(Collectors.toUnmodifiableSet());
  }
}
