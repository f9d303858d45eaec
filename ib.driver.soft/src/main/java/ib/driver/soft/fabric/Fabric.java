package ib.driver.soft.fabric;

import java.util.HashMap;
import java.util.Map;

/**
 * All switches of one driver bundle. Switches are made by the first port and go with the last one.
 */
public final class Fabric {
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
}
