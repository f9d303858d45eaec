package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMulticast;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.WellKnown;
import ib.ulp.ipoib.wire.Groups;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Joins the groups of an interface at the subnet administrator, and leaves them (I5-I8). The core's
 * SA client keeps memberships alive; this class repeats joins that were refused. Used on the loop's
 * thread only.
 */
final class Joins {
  private static final long RETRY_FIRST_NS = 50_000_000L;
  private static final long RETRY_BROADCAST_NS = 1_000_000_000L;
  private static final long RETRY_OTHERS_NS = 16_000_000_000L;
  private static final int SEND_ONLY_TRIES = 2;

  private final Link link;
  private final Multicast groups;
  private final SendOnly sendOnly;

  Joins(Link link, Multicast groups, SendOnly sendOnly) {
    this.link = link;
    this.groups = groups;
    this.sendOnly = sendOnly;
  }

  /** Asks the subnet administrator to join a group. */
  void join(Group group) {
    link.statistics().add(Statistics.Count.JOINS, 1);
    group.askedNs = link.loop().now();
    boolean first = groups.isBroadcast(group);
    int state = group.sendOnly && !first ? sendOnly.state() : McMemberRecord.FULL_MEMBER;
    McMemberRecord request =
        new McMemberRecord()
            .set(Field.MGID, group.mgid)
            .set(Field.JOIN_STATE, state)
            .set(Field.PKEY, Groups.pkey(group.mgid));
    McMemberRecord all = groups.broadcast();
    SaMembership.Listener listener =
        (membership, to, why) -> link.loop().execute(() -> changed(group, membership, to, why));
    SaMulticast multicast = link.sa.multicast();
    group.membership = // I6: one that the join creates is like the broadcast group
        all == null || first || state == McMemberRecord.SEND_ONLY_NON_MEMBER
            ? multicast.join(request, listener)
            : multicast.join(request, all.gid(Field.MGID), listener);
  }

  private void changed(
      Group group, SaMembership membership, SaMembership.State to, @Nullable IbException why) {
    if (!membership.equals(group.membership) || !groups.has(group)) {
      return; // the group was left before this notification
    }
    switch (to) {
      case MEMBER -> {
        try {
          joined(group, membership.record());
        } catch (IbException e) {
          refused(group, e);
        }
      }
      case LOST -> group.trouble = "waiting: joining again" + because(why);
      case REFUSED -> refused(group, why);
      case JOINING, CLOSED -> {} // these states are not notified
    }
    if (groups.isBroadcast(group)) {
      link.report();
    }
  }

  private static String because(@Nullable Throwable why) {
    return why == null ? "" : ": " + why.getMessage();
  }

  private void joined(Group group, McMemberRecord is) {
    boolean first = groups.isBroadcast(group);
    group.trouble = "";
    group.absent = false;
    boolean deaf = !group.sendOnly && !group.attached; // also when an earlier attach has failed
    if (deaf || !Objects.equals(is, group.record)) {
      if (group.record == null) {
        long us = (link.loop().now() - group.askedNs) / 1000;
        link.statistics().add(Statistics.Count.JOIN_LATENCY_US, us);
      }
      if (first) {
        link.takeQkey(is.value(Field.QKEY)); // I2
      }
      AddressHandle ah =
          link.queue.pd.createAh(
              link.attachments.way(is.ahAttr(link.port, 0), link.appearance.gidIndex()));
      if (group.ah != null) {
        group.ah.close();
      }
      group.ah = ah;
      boolean same = group.attached && was(group) == is.value(Field.MLID);
      if (!same) {
        detach(group);
      }
      if (!group.sendOnly && !same) { // an attached group stays attached, so that no packet is lost
        link.attachments.attach(link.queue.qp, group.mgid, is.value(Field.MLID));
        group.attached = true;
      }
      group.record = is;
    }
    group.tries = 0; // what has failed on this side is tried again less and less often, too
    AddressHandle ah = group.ah;
    for (byte[] packet = group.queue.poll(); packet != null; packet = group.queue.poll()) {
      if (ah != null) {
        link.traffic.transmit(ah, WellKnown.QPN_MULTICAST, is.value(Field.QKEY), packet);
      }
    }
    if (first) {
      link.broadcastJoined(is);
      groups.joinWanted(); // I3: the other groups are joined after the broadcast group
    }
  }

  private void refused(Group group, @Nullable Throwable why) {
    group.trouble = "join refused" + because(why);
    link.statistics().add(Statistics.Count.JOINS_FAILED, 1);
    group.closeMembership();
    group.tries++;
    if (group.sendOnly && sendOnly.nonMember()) {
      absent(group);
      return;
    }
    if (group.sendOnly && group.tries >= SEND_ONLY_TRIES) {
      groups.leave(group);
      return;
    }
    long most = groups.isBroadcast(group) ? RETRY_BROADCAST_NS : RETRY_OTHERS_NS;
    retry(group, Math.min(most, RETRY_FIRST_NS << Math.min(20, group.tries - 1))); // I5
  }

  private void retry(Group group, long wait) {
    group.retry =
        link.loop()
            .after(
                wait,
                () -> {
                  group.retry = null;
                  if (groups.has(group) && group.membership == null) {
                    join(group);
                  }
                });
  }

  /** The group has no receiver: until it has, its packets go to the all-routers group. */
  private void absent(Group group) {
    group.absent = true;
    Gid routers = Groups.allRouters(group.mgid);
    for (byte[] packet = group.queue.poll(); packet != null; packet = group.queue.poll()) {
      if (group.mgid.equals(routers)) {
        link.drop(Drop.TX_NO_GROUP);
      } else {
        groups.send(routers, Outgoing.of(packet));
      }
    }
    retry(group, RETRY_OTHERS_NS);
  }

  /** Leaves a group, and drops the packets that wait for it. */
  void leave(Group group) {
    if (group.retry != null) {
      group.retry.cancel();
    }
    group.queue.forEach(packet -> link.drop(Drop.TX_NO_GROUP));
    group.queue.clear();
    detach(group); // I8: detach before leaving
    if (group.ah != null) {
      group.ah.close();
      group.ah = null;
    }
    group.closeMembership();
  }

  private static int was(Group group) {
    return group.record == null ? 0 : group.record.value(Field.MLID);
  }

  private void detach(Group group) {
    if (group.attached) {
      link.attachments.detach(link.queue.qp, group.mgid, was(group));
      group.attached = false;
    }
  }
}
