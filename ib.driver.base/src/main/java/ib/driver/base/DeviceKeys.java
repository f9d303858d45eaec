package ib.driver.base;

import ib.core.config.ConfigKey;
import ib.core.verbs.Mtu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The declarations of the keys that the drivers share; the numbers are in {@link NumberKey}. */
public final class DeviceKeys {
  /** The device name. */
  public static final ConfigKey NAME =
      ConfigKey.Text.of(
          Settings.NAME,
          Settings.LABEL_ALLOWED,
          "Device name. Default: the name of the configuration, which is the part after '~' in its"
              + " PID.");

  /** The standing faults. */
  public static final ConfigKey.Text FAULTS =
      ConfigKey.Text.list(
          "faults",
          "",
          64,
          "rules such as 'loss rate=0.05', comma separated",
          "Standing faults, such as 'loss rate=0.05' or 'reorder rate=0.1 packets=8 delay=1ms': a"
              + " kind (loss, duplicate, reorder, delay, corrupt, silent, partition), then key=value"
              + " words (rate, dir, port, opcode, qp, psn, peer, skip, count, delay, jitter,"
              + " packets). Changes while the device runs.");

  /** The seed of the random faults. */
  public static final ConfigKey.Text FAULT_SEED =
      ConfigKey.Text.of(
          "fault_seed",
          "a whole number of at most 18 digits",
          "Seed of the random faults. Default: a random seed. Changes while the device runs.");

  private DeviceKeys() {}

  /**
   * Returns all keys of a driver.
   *
   * @param own the keys of this driver, beside the name
   * @return the name, the driver's keys, and what the drivers share
   */
  public static List<ConfigKey> with(ConfigKey... own) {
    List<ConfigKey> all = new ArrayList<>(List.of(NAME));
    all.addAll(Arrays.asList(own));
    all.addAll(List.of(FAULTS, FAULT_SEED));
    Stream.of(NumberKey.values()).map(NumberKey::setting).forEach(all::add);
    return all;
  }

  /**
   * Declares the node GUID.
   *
   * @param text what it means for this driver
   * @return the key
   */
  public static ConfigKey.Text guid(String text) {
    return ConfigKey.Text.of(
        Settings.GUID, "16 hex digits of an EUI-64 such as 02c90300000a0001", text);
  }

  /**
   * Declares the MTU.
   *
   * @param text what it means for this driver
   * @return the key
   */
  public static ConfigKey.Choice<Mtu> mtu(String text) {
    var words = ConfigKey.Choice.words(List.of(Mtu.values()), mtu -> mtu.bytes() + "");
    return new ConfigKey.Choice<>("mtu", words, Mtu.MTU_4096.bytes() + "", 0, text);
  }

  /**
   * Declares the P_Key table.
   *
   * @param text what it means for this driver
   * @return the key
   */
  public static ConfigKey.Text pkeys(String text) {
    return ConfigKey.Text.list(
        "pkeys",
        "0xffff",
        Settings.MAX_PKEYS,
        "1 to "
            + Settings.MAX_PKEYS
            + " different P_Keys, comma separated, hex such as 0xffff, not 0 or 0x8000",
        text);
  }
}
