package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.WellKnown;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Groups;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The groups of an interface: the broadcast group first, then the others (I3, I5-I8). The subnet's
 * layer of the core keeps memberships alive; what it was refused is asked for again here.
 */
final class Multicast {
  /** Packets that wait for a group (I7). */
  static final int QUEUE = 64;

  private static final long RETRY_FIRST_NS = 50_000_000L;
  private static final long RETRY_BROADCAST_NS = 1_000_000_000L;
  private static final long RETRY_OTHERS_NS = 16_000_000_000L;
  private static final int SEND_ONLY_TRIES = 2;
  private static final int EXACTLY = 2;

  private static final class Group {
    final Gid mgid;
    final Deque<byte[]> queue = new ArrayDeque<>();
    boolean sendOnly;
    @Nullable SaMembership membership;
    @Nullable McMemberRecord record;
    @Nullable AddressHandle ah;
    Loop.@Nullable Timer retry;
    int tries;
    boolean attached;
    long usedNs;
    long askedNs;
    String trouble = "";

    Group(Gid mgid) {
      this.mgid = mgid;
    }
  }

  private final Link link;
  private final Map<Gid, Group> groups = new LinkedHashMap<>();
  private final Map<Gid, Integer> wanted = new LinkedHashMap<>(); // by the host, with how often
  private @Nullable Group broadcast;

  Multicast(Link link) {
    this.link = link;
  }

  /** Joins the broadcast group; when that is done, the others. */
  void start(Gid gid) {
    if (broadcast == null) {
      broadcast = new Group(gid);
      groups.put(gid, broadcast);
      join(broadcast);
    }
  }

  /** {@return what the subnet said of the broadcast group, null before} */
  @Nullable McMemberRecord broadcast() {
    return broadcast == null ? null : broadcast.record;
  }

  /** {@return why the broadcast group is not joined} */
  String trouble() {
    return broadcast == null || broadcast.trouble.isEmpty()
        ? "waiting: joining the broadcast group"
        : broadcast.trouble;
  }

  /** The host wants to hear a group. */
  void want(Gid mgid) {
    wanted.merge(mgid, 1, Integer::sum);
    member(mgid);
  }

  /** The host does not want it any more. */
  void unwant(Gid mgid) {
    if (wanted.computeIfPresent(mgid, (g, n) -> n == 1 ? null : n - 1) == null) {
      Group group = groups.get(mgid);
      if (group != null && group != broadcast && !group.sendOnly) {
        leave(group);
      }
    }
  }

  private void member(Gid mgid) {
    McMemberRecord all = broadcast();
    if (all == null || !Groups.onLink(mgid, all.gid(Field.MGID))) {
      return; // W10: not ours now; asked again when the link is another
    }
    Group group = groups.get(mgid);
    if (group != null && group.sendOnly) {
      leave(group); // from a sender to a member
      group = null;
    }
    if (group == null) {
      group = new Group(mgid);
      groups.put(mgid, group);
      join(group);
    }
  }

  /** Sends to a group, joining it for that when need be (I7). */
  void send(Gid mgid, Outgoing packet) {
    McMemberRecord all = broadcast();
    if (all == null || !Groups.onLink(mgid, all.gid(Field.MGID))) {
      link.drop(Drop.TX_NO_GROUP);
      return;
    }
    Group group = groups.get(mgid);
    if (group == null) {
      group = new Group(mgid);
      group.sendOnly = true;
      groups.put(mgid, group);
      join(group);
    }
    group.usedNs = link.loop().now();
    AddressHandle ah = group.ah;
    if (ah != null && group.record != null) {
      link.traffic().transmit(ah, WellKnown.QPN_MULTICAST, group.record.value(Field.QKEY), packet);
    } else if (group.queue.size() >= QUEUE) {
      link.drop(Drop.TX_GROUP_QUEUE);
    } else {
      group.queue.add(packet.toBytes());
    }
  }

  private void join(Group group) {
    link.statistics().add(Statistics.Count.JOINS, 1);
    group.askedNs = link.loop().now();
    int state =
        group.sendOnly && group != broadcast ? link.sendOnlyState() : McMemberRecord.FULL_MEMBER;
    McMemberRecord request =
        new McMemberRecord()
            .set(Field.MGID, group.mgid)
            .set(Field.JOIN_STATE, state)
            .set(Field.PKEY, Groups.pkey(group.mgid));
    McMemberRecord all = broadcast();
    if (all != null && group != broadcast && state != McMemberRecord.SEND_ONLY_NON_MEMBER) {
      // I6: so that the join makes the group, with what the broadcast group has
      for (Field same : List.of(Field.QKEY, Field.TCLASS, Field.SL, Field.FLOW_LABEL)) {
        request.set(same, all.number(same));
      }
      request.set(Field.HOP_LIMIT, all.number(Field.HOP_LIMIT));
      request.set(Field.MTU_SELECTOR, EXACTLY).set(Field.MTU, all.number(Field.MTU));
      request.set(Field.RATE_SELECTOR, EXACTLY).set(Field.RATE, all.number(Field.RATE));
    }
    group.membership =
        link.sa()
            .multicast()
            .join(
                request,
                (membership, to, why) ->
                    link.loop().execute(() -> changed(group, membership, to, why)));
  }

  private void changed(
      Group group, SaMembership membership, SaMembership.State to, @Nullable IbException why) {
    if (!membership.equals(group.membership) || !group.equals(groups.get(group.mgid))) {
      return; // left meanwhile
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
      case JOINING, CLOSED -> {} // not told
    }
    if (group == broadcast) {
      link.report();
    }
  }

  private static String because(@Nullable Throwable why) {
    return why == null ? "" : ": " + why.getMessage();
  }

  private void joined(Group group, McMemberRecord is) {
    boolean first = group == broadcast;
    group.tries = 0;
    group.trouble = "";
    if (!Objects.equals(is, group.record)) {
      if (group.record == null) {
        long us = (link.loop().now() - group.askedNs) / 1000;
        link.statistics().add(Statistics.Count.JOIN_LATENCY_US, us);
      }
      if (first) {
        link.takeQkey(is.value(Field.QKEY)); // I2
      }
      AddressHandle ah = link.createAh(is.ahAttr(link.port(), 0));
      if (group.ah != null) {
        group.ah.close();
      }
      group.ah = ah;
      detach(group);
      group.record = is;
      if (!group.sendOnly) {
        link.qp().attachMulticast(group.mgid, is.value(Field.MLID));
        group.attached = true;
      }
    }
    AddressHandle ah = group.ah;
    for (byte[] packet = group.queue.poll(); packet != null; packet = group.queue.poll()) {
      if (ah != null) {
        link.traffic().transmit(ah, WellKnown.QPN_MULTICAST, is.value(Field.QKEY), packet);
      }
    }
    if (first) {
      link.broadcastJoined(is);
      List.copyOf(wanted.keySet()).forEach(this::member); // I3: only then the other groups
    }
  }

  private void refused(Group group, @Nullable Throwable why) {
    group.trouble = "join refused" + because(why);
    link.statistics().add(Statistics.Count.JOINS_FAILED, 1);
    closeMembership(group);
    group.tries++;
    if (group.sendOnly && group.tries >= SEND_ONLY_TRIES) {
      leave(group);
      return;
    }
    long most = group == broadcast ? RETRY_BROADCAST_NS : RETRY_OTHERS_NS;
    long wait = Math.min(most, RETRY_FIRST_NS << Math.min(20, group.tries - 1)); // I5
    group.retry =
        link.loop()
            .after(
                wait,
                () -> {
                  group.retry = null;
                  if (group.equals(groups.get(group.mgid)) && group.membership == null) {
                    join(group);
                  }
                });
  }

  /** Leaves everything; what the host wants is remembered. */
  void stop() {
    List<Group> all = List.copyOf(groups.values()).reversed(); // the broadcast group last
    for (Group group : all) {
      leave(group);
    }
    broadcast = null;
  }

  private void leave(Group group) {
    groups.remove(group.mgid);
    if (group.retry != null) {
      group.retry.cancel();
    }
    group.queue.forEach(packet -> link.drop(Drop.TX_NO_GROUP));
    group.queue.clear();
    detach(group); // I8: first detached, then left
    if (group.ah != null) {
      group.ah.close();
      group.ah = null;
    }
    closeMembership(group);
  }

  private static void closeMembership(Group group) {
    SaMembership membership = group.membership;
    group.membership = null;
    if (membership != null) {
      membership.close();
    }
  }

  private void detach(Group group) {
    McMemberRecord was = group.record;
    if (group.attached && was != null) {
      link.qp().detachMulticast(group.mgid, was.value(Field.MLID));
      group.attached = false;
    }
  }

  /** Lets go of groups that were joined for sending only and not used for long (D4, I7). */
  void collect() {
    long now = link.loop().now();
    for (Group group : List.copyOf(groups.values())) {
      if (group.sendOnly && group.record != null && now - group.usedNs >= Paths.IDLE_NS) {
        leave(group);
      }
    }
  }

  /** {@return group to what is known of it, for users} */
  Map<String, String> list() {
    Map<String, String> list = new LinkedHashMap<>();
    groups.forEach(
        (gid, group) -> {
          McMemberRecord m = group.record;
          String state =
              m == null
                  ? "joining"
                  : String.format(
                      "mlid 0x%04x, qkey 0x%08x", m.value(Field.MLID), m.value(Field.QKEY));
          String kind = group.sendOnly ? ", send only" : "";
          list.put(
              gid.toString(), state + kind + (group.trouble.isEmpty() ? "" : ", " + group.trouble));
        });
    return list;
  }
}
