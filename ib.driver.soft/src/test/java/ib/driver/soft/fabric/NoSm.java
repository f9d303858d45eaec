package ib.driver.soft.fabric;

import ib.core.verbs.Gid;
import ib.driver.soft.topology.NodePort;

/**
 * In place of the built-in subnet manager: nobody manages but who is behind the door. Without
 * anybody there links stay in INIT, with the LIDs that their topology gave them.
 */
public class NoSm implements ResidentSm {
  public NoSm(Subnet subnet) {}

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
