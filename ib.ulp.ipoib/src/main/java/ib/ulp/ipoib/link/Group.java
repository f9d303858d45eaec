package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.ulp.ipoib.loop.Loop;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A multicast group of an interface: membership, path and waiting packets. Used on the loop's
 * thread only.
 */
final class Group {

  final Gid mgid;
  final Deque<byte[]> queue = new ArrayDeque<>();
  boolean sendOnly;
  boolean absent; // the subnet has no such group: its packets go to the all-routers group (I7)
  boolean attached;
  @Nullable SaMembership membership;
  @Nullable McMemberRecord record;
  @Nullable AddressHandle ah;
  Loop.@Nullable Timer retry;
  int tries;
  long usedNs;
  long askedNs;
  long auditedNs;
  String trouble = "";

  Group(Gid mgid, boolean sendOnly) {
    this.mgid = mgid;
    this.sendOnly = sendOnly;
  }

  void closeMembership() {
    SaMembership was = membership;
    membership = null;
    if (was != null) {
      was.close();
    }
  }

  /** {@return the group's state, as text for users} */
  @Override
  public String toString() {
    McMemberRecord m = record;
    String state =
        m != null
            ? String.format("mlid 0x%04x, qkey 0x%08x", m.value(Field.MLID), m.value(Field.QKEY))
            : absent ? "not there, sent to all routers" : "joining";
    return state + (sendOnly ? ", send only" : "") + (trouble.isEmpty() ? "" : ", " + trouble);
  }
}
