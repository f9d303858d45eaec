package ib.cm.internal.machine;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import java.util.function.BooleanSupplier;

/**
 * A port of a simulated fabric.
 *
 * @param lid LID
 * @param hasGid whether its GID is in the table
 */
record SimulatedPort(int lid, BooleanSupplier hasGid) implements Self {
  SimulatedPort(int lid) {
    this(lid, () -> true);
  }

  @Override
  public long caGuid() {
    return 0x1000L + lid;
  }

  @Override
  public int port() {
    return 1;
  }

  @Override
  public boolean ethernet() {
    return false;
  }

  @Override
  public Mtu mtu() {
    return Mtu.MTU_4096;
  }

  @Override
  public Gid gid(int index) {
    return Gid.linkLocal(caGuid());
  }

  @Override
  public int gidIndex(Gid gid) {
    return hasGid.getAsBoolean() && gid.equals(gid(0)) ? 0 : -1;
  }

  @Override
  public long tid(int localId) {
    return localId;
  }
}
