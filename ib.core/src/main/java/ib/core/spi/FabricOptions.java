package ib.core.spi;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link StandaloneFabric}. Every method but {@code open} returns the options, so
 * that calls chain. For use by one thread; {@code open} may be called more than once.
 *
 * @param <S> the options of the driver
 */
public abstract class FabricOptions<S extends FabricOptions<S>> {
  private static final String FAULTS = "faults";
  private static final String FAULT_SEED = "fault_seed";

  private final Map<String, Map<String, Object>> devices = new LinkedHashMap<>();
  private final Map<String, Object> all = new LinkedHashMap<>();
  final Map<String, Object> medium = new LinkedHashMap<>();
  final Map<String, Object> midlayer = new LinkedHashMap<>();
  private @Nullable Long seed;
  private @Nullable StandaloneCore shared;

  /** No devices yet. */
  protected FabricOptions() {}

  /** {@return this, as what it is} */
  protected abstract S self();

  /**
   * Adds devices.
   *
   * @param names their names, each a letter followed by letters, digits, '_', '.' and '-'
   * @return this
   * @throws IbInvalidException when a name comes twice
   */
  public final S devices(String... names) {
    for (String name : IbInvalidException.given(names, "FabricOptions.devices", "names")) {
      device(name, Map.of());
    }
    return self();
  }

  /**
   * Adds a device with a configuration of its own.
   *
   * @param name its name
   * @param values keys of the driver's configuration, those of a file in {@code conf/}
   * @return this
   * @throws IbInvalidException when the name comes twice
   */
  public final S device(String name, Map<String, ?> values) {
    IbInvalidException.given(name, "FabricOptions.device", "name");
    if (devices.putIfAbsent(name, new HashMap<>(values)) != null) {
      throw new IbInvalidException(
          "device " + name, "the fabric has a device of that name", "a name for each device");
    }
    return self();
  }

  /**
   * Sets a key of all devices; a device's own value stands instead of it.
   *
   * @param name of the key
   * @param value text, a number, or a list
   * @return this
   */
  public final S key(String name, Object value) {
    all.put(name, value);
    return self();
  }

  /**
   * Disturbs the packets of all devices from the beginning.
   *
   * @param rules in the text form of {@link FaultRule}, for example {@code loss rate=0.05}
   * @return this
   */
  public final S faults(String... rules) {
    return key(FAULTS, List.of(rules));
  }

  /**
   * Says where the chance of faults begins: with the same seed the same packets are hit, as far as
   * the same packets are sent. Each device begins at a number of its own, counted from the seed.
   *
   * @param value of at most 18 digits
   * @return this
   */
  public final S seed(long value) {
    seed = value;
    return self();
  }

  /**
   * Lowers a limit of all devices.
   *
   * @param which limit
   * @param value its value
   * @return this
   */
  public final S limit(Limit which, int value) {
    return key(which.label(), value);
  }

  /**
   * Sets a key of the midlayer's configuration, {@code ib.core.cfg}.
   *
   * @param name of the key, for example {@code callback_deadline_ms}
   * @param value text or a number
   * @return this
   */
  public final S core(String name, Object value) {
    midlayer.put(name, value);
    return self();
  }

  /**
   * Puts the devices under a midlayer that is there already, so that its clients find them. The
   * fabric does not close it.
   *
   * @param core the midlayer
   * @return this
   */
  public final S on(StandaloneCore core) {
    shared = core;
    return self();
  }

  /**
   * Sets a key of the configuration of what is between the devices.
   *
   * @param name of the key
   * @param value its value
   */
  protected final void medium(String name, Object value) {
    medium.put(name, value);
  }

  @Nullable StandaloneCore shared() {
    return shared;
  }

  /** {@return the whole configuration of each device, in order} */
  Map<String, Map<String, Object>> configurations() {
    Map<String, Map<String, Object>> configurations = new LinkedHashMap<>();
    Long next = seed;
    for (Map.Entry<String, Map<String, Object>> device : devices.entrySet()) {
      Map<String, Object> values = new HashMap<>(all);
      if (next != null) {
        values.put(FAULT_SEED, next.toString());
        next++;
      }
      values.putAll(device.getValue());
      configurations.put(device.getKey(), values);
    }
    return configurations;
  }

  /** {@return the names of the devices} */
  @Override
  public String toString() {
    return devices.keySet().stream().collect(Collectors.joining(", "));
  }
}
