package ib.bench;

import ib.core.verbs.IbDevice;
import ib.driver.soft.standalone.SoftFabric;

/** Two devices of the soft driver on one switch, under a midlayer of their own. */
final class TwoDevices implements AutoCloseable {
  private final SoftFabric fabric = SoftFabric.open("bench0", "bench1");

  IbDevice first() {
    return fabric.device("bench0");
  }

  IbDevice second() {
    return fabric.device("bench1");
  }

  @Override
  public void close() {
    fabric.close();
  }
}
