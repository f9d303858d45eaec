package ib.driver.soft.fabric;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All switches of one driver bundle. Switches are made by the first port and go with the last one.
 */
public final class Fabric {
  private final AtomicInteger watchers = new AtomicInteger();
  private final AtomicLong changes = new AtomicLong();
  private final Map<String, Switch> switches = new HashMap<>(); // under this

  /** An empty fabric. */
  public Fabric() {}

  /**
   * A port of an adapter, its cable not yet in.
   *
   * @param switchName where it belongs; ports of different switches do not reach each other
   * @return the port; close it
   */
  public synchronized FabricPort open(String switchName) {
    Switch home = switches.computeIfAbsent(switchName, Switch::new);
    home.ports(home.ports() + 1);
    return new FabricPort(this, home);
  }

  /** {@return how many switches there are} */
  public synchronized int size() {
    return switches.size();
  }

  synchronized void closed(Switch home) {
    home.ports(home.ports() - 1);
    if (home.ports() == 0) {
      switches.remove(home.name(), home);
    }
  }

  /**
   * Somebody begins or ends to look at packets of a port: meanwhile every packet of the fabric is a
   * real one.
   *
   * @param begins whether it begins
   */
  public void watch(boolean begins) {
    watchers.getAndAdd(begins ? 1 : -1);
    changed();
  }

  /** A port is reached otherwise than before, or packets are needed where they were not. */
  void changed() {
    changes.getAndIncrement();
  }

  /** {@return how often that was so} */
  long changes() {
    return changes.get();
  }

  /** {@return whether somebody looks at packets now} */
  boolean watched() {
    return watchers.get() > 0;
  }
}
