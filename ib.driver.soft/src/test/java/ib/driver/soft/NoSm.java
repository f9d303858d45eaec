package ib.driver.soft;

import ib.core.verbs.Gid;
import ib.driver.soft.fabric.ResidentSm;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;

/** No subnet manager: links stay in INIT, with the LIDs that their topology gave them. */
final class NoSm implements ResidentSm {
  NoSm(Subnet subnet) {}

  @Override
  public void sweep() {}

  @Override
  public void attached(NodePort port, Gid group, int mlid, boolean attached) {}

  @Override
  public int lid(NodePort port) {
    return port.lid();
  }

  @Override
  public void pkeys(NodePort port, int[] table) {}

  @Override
  public void forget(NodePort port) {}

  @Override
  public void yield() {}

  @Override
  public long dueNs() {
    return Long.MAX_VALUE;
  }

  @Override
  public void tick() {}
}
