package ib.core.internal.device;

import ib.core.internal.event.DeviceCaches;
import ib.core.verbs.Gid;
import ib.core.verbs.PortAttr;
import java.util.function.Supplier;

/** The caches of a device across resets, each of which brings new ones (CC-23). */
record CurrentCaches(Supplier<DeviceCaches> current) implements DeviceCaches {
  @Override
  public PortAttr port(int port) {
    return current.get().port(port);
  }

  @Override
  public Gid gid(int port, int index) {
    return current.get().gid(port, index);
  }

  @Override
  public int pkey(int port, int index) {
    return current.get().pkey(port, index);
  }

  @Override
  public void refresh(int port) {
    current.get().refresh(port);
  }
}
