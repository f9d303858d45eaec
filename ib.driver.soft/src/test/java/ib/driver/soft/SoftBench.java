package ib.driver.soft;

import ib.core.client.IbCore;
import ib.core.verbs.Limit;
import ib.kit.Bench;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two adapters on one switch, as the compatibility suite wants them. */
class SoftBench implements Bench {
  private final Lab lab = new Lab();

  SoftBench(Object... keysAndValues) {
    for (String name : devices()) {
      lab.configure(name, keysAndValues);
    }
  }

  static SoftBench withLimits(Map<Limit, Long> limits) {
    List<Object> keys = new ArrayList<>();
    for (NumberKey key : NumberKey.values()) {
      Long value = key.limit() == null ? null : limits.get(key.limit());
      if (value != null) {
        keys.add(key.key());
        keys.add(value.intValue());
      }
    }
    return new SoftBench(keys.toArray());
  }

  @Override
  public IbCore core() {
    return lab.midlayer.core();
  }

  @Override
  public List<String> devices() {
    return List.of("soft0", "soft1");
  }

  @Override
  public void unplug(String device) {
    lab.slot(device).unplug();
  }

  @Override
  public void plug(String device) {
    lab.slot(device).plug();
  }

  @Override
  public boolean link(String device, boolean up) {
    lab.configure(device, "link", up ? "up" : "down");
    return true;
  }

  @Override
  public void close() {
    lab.close();
  }
}
