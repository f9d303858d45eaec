package ib.cm.internal.port;

import ib.cm.internal.machine.Self;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import java.util.function.IntSupplier;

/**
 * A port as the device describes it at this moment.
 *
 * @param device the handle
 * @param port from 1
 * @param hiTid upper half of the agent's transaction IDs
 */
record PortSelf(IbDevice device, int port, IntSupplier hiTid) implements Self {
  @Override
  public long caGuid() {
    return device.nodeGuid();
  }

  @Override
  public boolean ethernet() {
    return device.port(port).linkLayer() == LinkLayer.ETHERNET;
  }

  @Override
  public Mtu mtu() {
    return device.port(port).activeMtu();
  }

  @Override
  public Gid gid(int index) {
    return device.gid(port, index);
  }

  @Override
  public int gidIndex(Gid gid) {
    return device.findGid(port, gid);
  }

  @Override
  public long tid(int localId) {
    return (long) hiTid.getAsInt() << 32 | localId & 0xffff_ffffL;
  }
}
