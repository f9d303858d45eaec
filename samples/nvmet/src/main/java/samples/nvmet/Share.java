package samples.nvmet;

import ib.core.verbs.Access;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;

/** Objects that the connections of one device have in common: a domain and the blocks in it. */
final class Share {
  private final IbDevice device;
  private final ProtectionDomain pd;
  private final MemoryRegion store;
  private int users; // guarded by the Shares

  private Share(IbDevice device, Store store) {
    this.device = device;
    this.pd = device.allocPd();
    boolean made = false;
    try {
      this.store = pd.registerMemory(store.memory(), Access.LOCAL_WRITE); // no host reaches it
      made = true;
    } finally {
      if (!made) {
        pd.close();
      }
    }
  }

  ProtectionDomain pd() {
    return pd;
  }

  MemoryRegion store() {
    return store;
  }

  private void close() {
    store.close();
    pd.close();
  }

  /** The shares of all devices; each is there while a connection has it. */
  static final class Shares {
    private final Store store;
    private final Map<IbDevice, Share> byDevice = new HashMap<>(); // guarded by this

    Shares(Store store) {
      this.store = store;
    }

    synchronized Share take(IbDevice device) {
      Share share = byDevice.computeIfAbsent(device, d -> new Share(d, store));
      share.users++;
      return share;
    }

    synchronized void giveBack(Share share) {
      if (--share.users == 0) {
        byDevice.remove(share.device);
        share.close();
      }
    }
  }
}
