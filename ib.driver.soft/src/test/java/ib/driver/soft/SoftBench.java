package ib.driver.soft;

import ib.core.client.IbCore;
import ib.core.verbs.Limit;
import ib.driver.base.NumberKey;
import ib.driver.soft.flawed.Flaw;
import ib.driver.soft.flawed.FlawedDevice;
import ib.kit.Bench;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Two adapters on one switch, as the compatibility suite wants them. */
class SoftBench implements Bench {
  private final Lab lab;
  private final Flaw flaw;
  private final Object[] keysAndValues;

  SoftBench(Object... keysAndValues) {
    this(new Lab(), keysAndValues);
  }

  private SoftBench(Lab lab, Object... keysAndValues) {
    this(lab, Flaw.NONE, keysAndValues);
  }

  private SoftBench(Lab lab, Flaw flaw, Object... keysAndValues) {
    this.lab = lab;
    this.flaw = flaw;
    this.keysAndValues = keysAndValues;
    for (String name : devices()) {
      lab.configure(name, keysAndValues);
    }
  }

  static SoftBench withLimits(Map<Limit, Long> limits) {
    return new SoftBench(new Lab(), keys(limits));
  }

  /** Devices with a flaw. */
  static SoftBench flawed(Flaw flaw, Map<Limit, Long> limits) {
    Lab lab = new Lab().disguise(device -> new FlawedDevice(device, flaw));
    return new SoftBench(lab, flaw, keys(limits));
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
    plugging(Flaw.LOCKED_REMOVAL, lab.slot(device)::unplug);
  }

  @Override
  public void plug(String device) {
    plugging(Flaw.LOCKED_REGISTRATION, lab.slot(device)::plug);
  }

  private void plugging(Flaw locked, Runnable step) {
    if (flaw != locked) {
      step.run();
      return;
    }
    synchronized (flaw) {
      step.run();
    }
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
