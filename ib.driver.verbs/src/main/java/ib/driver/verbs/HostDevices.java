package ib.driver.verbs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.driver.base.Devices;
import ib.driver.base.Settings;
import ib.driver.verbs.object.Sysfs;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes a device of ib of each device of the host that the configuration selects, and takes it away
 * with the kernel's (V1, V2). The thread that watches the host and the thread that delivers
 * configurations call; neither waits for a device.
 */
final class HostDevices {
  private final Sysfs sysfs;
  private final Devices<VerbsConfig> devices;
  private final Consumer<String> log;

  @GuardedBy("this")
  private final Map<String, Sysfs.Entry> present = new HashMap<>(); // by the name in ib

  @GuardedBy("this")
  private VerbsReader.Selection selection = VerbsReader.Selection.NONE;

  HostDevices(Sysfs sysfs, Devices<VerbsConfig> devices, Consumer<String> log) {
    this.sysfs = sysfs;
    this.devices = devices;
    this.log = log;
  }

  synchronized void select(VerbsReader.Selection wanted) {
    if (!wanted.prefix().equals(selection.prefix())) {
      present.keySet().forEach(name -> devices.delete(pid(name)));
      present.clear();
    }
    selection = wanted;
    boolean unused = look();
  }

  /** {@return the names of the devices that the host has and the configuration selects} */
  synchronized Set<String> names() {
    return Set.copyOf(present.keySet());
  }

  /** Looks at the host; {@return whether something has changed} */
  synchronized boolean look() {
    Map<String, Sysfs.Entry> now = new HashMap<>();
    sysfs
        .devices()
        .forEach(
            (name, entry) -> {
              if (selection.takes(name)) {
                now.put(selection.prefix() + name, entry);
              }
            });
    if (now.equals(present)) {
      return false;
    }
    for (String name : present.keySet()) {
      if (!now.containsKey(name)) {
        log.accept("RDMA device " + name + " of the host has gone");
        devices.delete(pid(name));
      }
    }
    boolean again = false;
    for (Map.Entry<String, Sysfs.Entry> e : now.entrySet()) {
      Sysfs.Entry before = present.get(e.getKey());
      if (before == null) {
        log.accept("RDMA device " + e.getKey() + " of the host is there");
        devices.configure(
            pid(e.getKey()),
            Map.of(Settings.NAME, e.getKey(), VerbsKeys.DEVICE.name(), e.getValue().name()));
      } else {
        again |= !before.equals(e.getValue());
      }
    }
    present.clear();
    present.putAll(now);
    if (again) {
      devices.review(); // another device has the name of one that has gone
    }
    return true;
  }

  private static String pid(String name) {
    return VerbsDriver.PID + "~" + name;
  }
}
