package samples.driver;

import ib.core.config.ConfigKey;
import ib.driver.base.DeviceConfig;
import ib.driver.base.Settings;
import java.util.Map;
import java.util.Set;

/** A device as a file {@code conf/samples.driver-NAME.cfg} describes it. */
record CableConfig(String name, long guid, int lid) implements DeviceConfig<CableConfig> {
  private static final ConfigKey.Whole LID =
      new ConfigKey.Whole(
          "lid", 1, 1, Cable.MAX_LID, "The address of the port; it has to be there.");

  static CableConfig read(String instance, Map<String, ?> values) {
    Settings settings = new Settings(values, Set.of("name", "guid", LID.name()));
    String name = settings.label("name", instance);
    int lid = settings.number(LID);
    if (settings.value(LID) == null) {
      settings.refuse(LID); // with a default, two devices would have one address
    }
    CableConfig config = new CableConfig(name, settings.guid(name, 1), lid);
    settings.end(instance); // refuses the file, and names each key that is wrong
    return config;
  }

  @Override
  public boolean liveChangeOf(CableConfig running) {
    return equals(running); // every other change makes the device anew
  }

  @Override
  public boolean sharesGuidWith(CableConfig other) {
    return guid == other.guid;
  }
}
