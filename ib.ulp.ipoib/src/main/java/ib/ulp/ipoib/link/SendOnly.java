package ib.ulp.ipoib.link;

import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.Notice;
import ib.core.sa.SaClient;
import ib.core.sa.SaSubscription;
import ib.ulp.ipoib.loop.Loop;
import java.util.ArrayList;
import java.util.List;

/**
 * How the subnet lets a port join a group that it only sends to (I7). Either as a send-only full
 * member, which creates the group; or as a non-member of an existing group, with reports of created
 * and deleted groups (RFC 4391 section 10).
 */
final class SendOnly {
  private final Multicast groups;
  private final List<SaSubscription> reports = new ArrayList<>();
  private int state = McMemberRecord.SEND_ONLY_FULL_MEMBER;

  SendOnly(Multicast groups) {
    this.groups = groups;
  }

  /** {@return the join state to request} */
  int state() {
    return state;
  }

  /** {@return whether a group without receivers cannot be joined} */
  boolean nonMember() {
    return state == McMemberRecord.SEND_ONLY_NON_MEMBER;
  }

  /**
   * Asks the subnet administrator for its capabilities; the answer is handled on the loop's thread.
   */
  void learn(SaClient sa, Loop loop) {
    sa.classPortInfo()
        .whenComplete(
            (info, why) -> {
              if (info != null) {
                loop.execute(() -> learnt(sa, loop, info));
              }
            });
  }

  private void learnt(SaClient sa, Loop loop, ClassPortInfo info) {
    boolean can =
        (info.value(ClassPortInfo.Field.CAPABILITY_MASK2) & ClassPortInfo.SA_SEND_ONLY_FULL_MEMBER)
            != 0;
    state = can ? McMemberRecord.SEND_ONLY_FULL_MEMBER : McMemberRecord.SEND_ONLY_NON_MEMBER;
    if (can) {
      close();
    } else if (reports.isEmpty() && !groups.ended()) {
      for (int trap : List.of(Notice.TRAP_MCG_CREATED, Notice.TRAP_MCG_DELETED)) {
        reports.add(sa.subscribe(trap, notice -> loop.execute(() -> reported(notice))));
      }
    }
  }

  private void reported(Notice notice) {
    if (notice.value(Notice.Field.TRAP_NUMBER) == Notice.TRAP_MCG_CREATED) {
      groups.created(notice.detailsGid());
    } else {
      groups.deleted(notice.detailsGid());
    }
  }

  /** Ends the subscriptions to reports. */
  void close() {
    reports.forEach(SaSubscription::close);
    reports.clear();
  }
}
