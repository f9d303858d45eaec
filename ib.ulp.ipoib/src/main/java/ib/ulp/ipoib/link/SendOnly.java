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
 * How the subnet lets a port join a group that it only sends to (I7): as a full member, which makes
 * the group; or, as RFC 4391 section 10 knows it, as a non-member of a group that is there, with
 * reports of groups that come and go.
 */
final class SendOnly {
  private final Multicast groups;
  private final List<SaSubscription> reports = new ArrayList<>();
  private int state = McMemberRecord.SEND_ONLY_FULL_MEMBER;

  SendOnly(Multicast groups) {
    this.groups = groups;
  }

  /** {@return the join state to ask for} */
  int state() {
    return state;
  }

  /** {@return whether a group that nobody receives cannot be joined} */
  boolean nonMember() {
    return state == McMemberRecord.SEND_ONLY_NON_MEMBER;
  }

  /** Asks what the subnet administrator can do. */
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

  /** Wants no reports any more. */
  void close() {
    reports.forEach(SaSubscription::close);
    reports.clear();
  }
}
