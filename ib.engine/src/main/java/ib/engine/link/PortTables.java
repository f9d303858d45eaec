package ib.engine.link;

import ib.core.verbs.Gid;
import ib.core.verbs.WellKnown;
import ib.engine.wire.Epoch;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The GID and P_Key tables of a port. A thread that changes one replaces it by a changed copy,
 * under the port's lock; the data path reads the tables without a lock.
 */
public final class PortTables {
  private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;

  private volatile Gid[] gids;
  private volatile int[] pkeys;
  private final Epoch epoch;
  private final AtomicLong gidChanges = new AtomicLong();
  private final AtomicLong pkeyChanges = new AtomicLong();

  public PortTables(int gidCount, int pkeyCount, long portGuid, Epoch epoch) {
    this.epoch = epoch;
    Gid[] table = new Gid[gidCount];
    Arrays.fill(table, Gid.ZERO);
    table[0] = new Gid(LINK_LOCAL, portGuid);
    gids = table;
    int[] keys = new int[pkeyCount];
    keys[0] = WellKnown.PKEY_DEFAULT_FULL;
    pkeys = keys;
  }

  // ---- control path ----

  public long gidChanges() {
    return gidChanges.get();
  }

  public long pkeyChanges() {
    return pkeyChanges.get();
  }

  public Gid checkedGid(int index) {
    if (index < 0 || index >= gids.length) {
      throw Refusals.range("GID index", index, 0, gids.length - 1);
    }
    return gids[index];
  }

  public void gid(int index, Gid gid) {
    checkedGid(index);
    Gid[] changed = gids.clone();
    changed[index] = gid;
    gids = changed;
    gidChanges.getAndIncrement();
    epoch.changed();
  }

  public int checkedPkey(int index) {
    if (index < 0 || index >= pkeys.length) {
      throw Refusals.range("P_Key index", index, 0, pkeys.length - 1);
    }
    return pkeys[index];
  }

  public void pkey(int index, int pkey) {
    checkedPkey(index);
    int[] changed = pkeys.clone();
    changed[index] = pkey;
    pkeys = changed;
    pkeyChanges.getAndIncrement();
    epoch.changed();
  }

  /** Replaces the whole table; returns whether it was another one. */
  public boolean pkeys(int... table) {
    if (table.length > pkeys.length) {
      throw Refusals.range("P_Keys", table.length, 0, pkeys.length);
    }
    int[] changed = Arrays.copyOf(table, pkeys.length);
    boolean differs = !Arrays.equals(changed, pkeys);
    pkeys = changed;
    pkeyChanges.getAndIncrement();
    epoch.changed();
    return differs;
  }

  // ---- data path ----

  public Gid gid(int index) {
    return gids[index];
  }

  public boolean hasPkey(int index) {
    return index >= 0 && index < pkeys.length;
  }

  public int pkey(int index) {
    return pkeys[index];
  }

  /** Whether a packet's P_Key fits an entry: same partition, one of the two a full member. */
  public boolean pkeyFits(int index, int pkey) {
    int own = pkeys[index];
    return ((own ^ pkey) & 0x7fff) == 0 && ((own | pkey) & 0x8000) != 0;
  }

  /** {@return the index of the entry that a P_Key fits, or -1} */
  public int pkeyIndex(int pkey) {
    int length = pkeys.length;
    for (int i = 0; i < length; i++) {
      if (pkeys[i] != 0 && pkeyFits(i, pkey)) {
        return i;
      }
    }
    return -1;
  }
}
