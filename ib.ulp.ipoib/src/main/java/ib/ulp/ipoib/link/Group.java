package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.ulp.ipoib.loop.Loop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A multicast group of an interface: membership, path and waiting packets. Used on the loop's
 * thread only.
 */
final class Group {
  private static final int EXACTLY = 2;

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

  /**
   * I6: copies the broadcast group's properties into a join request, so that the join creates the
   * group with them.
   */
  static void like(McMemberRecord all, McMemberRecord request) {
    for (Field same : List.of(Field.QKEY, Field.TCLASS, Field.SL, Field.FLOW_LABEL)) {
      request.set(same, all.number(same));
    }
    request.set(Field.HOP_LIMIT, all.number(Field.HOP_LIMIT));
    request.set(Field.MTU_SELECTOR, EXACTLY).set(Field.MTU, all.number(Field.MTU));
    request.set(Field.RATE_SELECTOR, EXACTLY).set(Field.RATE, all.number(Field.RATE));
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
