package ib.core.testing;

import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.core.verbs.WellKnown;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The ports of a {@link FakeDevice}: 8 GIDs and 8 P_Keys each. */
public final class FakePorts {
  private static final int ENTRIES = 8;

  private final AtomicReferenceArray<PortAttr> attrs;
  private final AtomicReferenceArray<Gid> gids;
  private final AtomicReferenceArray<Integer> pkeys;

  FakePorts(int count, long guid) {
    attrs = new AtomicReferenceArray<>(count);
    gids = new AtomicReferenceArray<>(count * ENTRIES);
    pkeys = new AtomicReferenceArray<>(count * ENTRIES);
    for (int i = 0; i < count * ENTRIES; i++) {
      gids.set(i, Gid.ZERO);
      pkeys.set(i, 0);
    }
    for (int port = 1; port <= count; port++) {
      attr(
          port,
          PortAttr.builder()
              .state(PortState.ACTIVE)
              .physState(PhysState.LINK_UP)
              .lid(port)
              .gidTableLen(ENTRIES)
              .pkeyTableLen(ENTRIES)
              .build());
      gid(port, 0, Gid.linkLocal(guid + port));
      pkey(port, 0, WellKnown.PKEY_DEFAULT_FULL);
    }
  }

  /**
   * Changes a port.
   *
   * @param port from 1
   * @param attr what it says from now on
   */
  public void attr(int port, PortAttr attr) {
    attrs.set(port - 1, attr);
  }

  /** Whether the driver numbers the changes of its tables. */
  public volatile boolean numbered;

  private final AtomicLong gidChanges = new AtomicLong();
  private final AtomicLong pkeyChanges = new AtomicLong();

  long gidChanges() {
    return numbered ? gidChanges.get() : -1;
  }

  long pkeyChanges() {
    return numbered ? pkeyChanges.get() : -1;
  }

  /**
   * Changes a GID.
   *
   * @param port from 1
   * @param index from 0
   * @param gid the GID
   */
  public void gid(int port, int index, Gid gid) {
    gids.set(slot(port, index), gid);
    gidChanges.incrementAndGet();
  }

  /**
   * Changes a P_Key.
   *
   * @param port from 1
   * @param index from 0
   * @param pkey 16 bits
   */
  public void pkey(int port, int index, int pkey) {
    pkeys.set(slot(port, index), pkey);
    pkeyChanges.incrementAndGet();
  }

  PortAttr attr(int port) {
    if (port < 1 || port > attrs.length()) {
      throw new IbInvalidException("queryPort", "port " + port, "1 to " + attrs.length());
    }
    return attrs.get(port - 1);
  }

  Gid gid(int port, int index) {
    return gids.get(slot(port, index));
  }

  int pkey(int port, int index) {
    return pkeys.get(slot(port, index));
  }

  private int slot(int port, int index) {
    if (port < 1 || port > attrs.length() || index < 0 || index >= ENTRIES) {
      throw new IbInvalidException(
          "query", "port " + port + " index " + index, "a port and 0 to " + (ENTRIES - 1));
    }
    return (port - 1) * ENTRIES + index;
  }
}
