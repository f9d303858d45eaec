package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaException;
import ib.core.sa.SaMembership;
import ib.core.sa.SaStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks with the subnet administrator whether it still has the interface's memberships: the
 * broadcast group in each round, some other groups in turn. A membership that the administrator has
 * lost is joined again while traffic goes on.
 */
final class Audit {
  /** How many memberships one round checks, beside the broadcast group. */
  static final int OTHERS = 8;

  private final Link link;

  Audit(Link link) {
    this.link = link;
  }

  /**
   * Checks the broadcast group and the {@link #OTHERS} groups whose last check is the longest ago.
   */
  void round(Collection<Group> groups, @Nullable Group first) {
    List<Group> due = new ArrayList<>();
    for (Group group : groups) {
      SaMembership membership = group.membership;
      if (membership != null && membership.state() == SaMembership.State.MEMBER) {
        due.add(group);
      }
    }
    due.sort(Comparator.comparing((Group g) -> g != first).thenComparing(g -> g.auditedNs));
    due.stream().limit(1 + OTHERS).forEach(this::ask);
  }

  private void ask(Group group) {
    SaMembership membership = group.membership;
    McMemberRecord is = group.record;
    if (membership == null || is == null) {
      return;
    }
    group.auditedNs = link.loop().now();
    McMemberRecord question =
        new McMemberRecord()
            .set(McMemberRecord.Field.MGID, group.mgid)
            .set(McMemberRecord.Field.PORT_GID, link.state().address().gid());
    link.sa
        .get(question, Paths.TIMEOUT_MS)
        .whenComplete(
            (answer, why) ->
                link.loop()
                    .execute(
                        () -> {
                          boolean same = membership.equals(group.membership);
                          if (same && forgotten(is, answer, why)) {
                            repair(group, membership);
                          }
                        }));
  }

  private void repair(Group group, SaMembership membership) {
    link.log("the subnet has lost a membership of " + group.mgid + "; it is joined again");
    link.statistics().add(Statistics.Count.JOINS_REPAIRED, 1);
    membership.renew();
  }

  /** {@return whether the answer shows that the membership is lost} A missing answer does not. */
  private static boolean forgotten(
      McMemberRecord is, @Nullable McMemberRecord answer, @Nullable Throwable why) {
    if (answer == null) {
      SaStatus status = why instanceof SaException refusal ? refusal.status() : SaStatus.OK;
      return status == SaStatus.NO_RECORDS || status == SaStatus.REQUEST_INVALID;
    }
    int states = answer.value(Field.JOIN_STATE);
    return answer.value(Field.MLID) != is.value(Field.MLID)
        || states != 0 && (states & is.value(Field.JOIN_STATE)) == 0;
  }
}
