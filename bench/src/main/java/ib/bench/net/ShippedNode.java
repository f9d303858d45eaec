package ib.bench.net;

import ib.core.verbs.IbDevice;
import ib.driver.rxe.standalone.RxeHost;

/** A device as a user gets it who configures an address and nothing else. */
final class ShippedNode implements Node {
  private static final String NAME = "rxe0";

  private final RxeHost host;
  private final IbDevice device;

  ShippedNode(String address) {
    host = RxeHost.options().device(NAME, address).open();
    device = host.device(NAME);
  }

  @Override
  public IbDevice device() {
    return device;
  }

  @Override
  public int gidIndex() {
    return 0;
  }

  @Override
  public void close() {
    host.close();
  }
}
