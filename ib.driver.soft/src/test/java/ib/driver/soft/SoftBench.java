package ib.driver.soft;

import ib.core.client.IbCore;
import ib.core.spi.DriverDevice;
import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.kit.Bench;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Two adapters on one switch, as the compatibility suite wants them. */
class SoftBench implements Bench {
  private final Lab lab;
  private final Object[] keysAndValues;

  SoftBench(Object... keysAndValues) {
    this(new Lab(), keysAndValues);
  }

  private SoftBench(Lab lab, Object... keysAndValues) {
    this.lab = lab;
    this.keysAndValues = keysAndValues;
    for (String name : devices()) {
      lab.configure(name, keysAndValues);
    }
  }

  static SoftBench withLimits(Map<Limit, Long> limits) {
    return new SoftBench(new Lab(), keys(limits));
  }

  /** Devices that are not registered themselves, but something around them. */
  static SoftBench disguised(UnaryOperator<DriverDevice> disguise, Map<Limit, Long> limits) {
    return new SoftBench(new Lab().disguise(disguise), keys(limits));
  }

  private static Object[] keys(Map<Limit, Long> limits) {
    List<Object> keys = new ArrayList<>();
    for (NumberKey key : NumberKey.values()) {
      Long value = key.limit() == null ? null : limits.get(key.limit());
      if (value != null) {
        keys.add(key.key());
        keys.add(value.intValue());
      }
    }
    return keys.toArray();
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
    Object[] all = Arrays.copyOf(keysAndValues, keysAndValues.length + 2);
    all[keysAndValues.length] = "link";
    all[keysAndValues.length + 1] = up ? "up" : "down";
    lab.configure(device, all); // the same otherwise, so it is changed live
    return true;
  }

  @Override
  public void close() {
    lab.close();
  }
}
