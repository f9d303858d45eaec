package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.core.verbs.WellKnown;
import ib.ulp.ipoib.wire.Groups;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of an interface: the broadcast group first, then the others (I3, I5-I8).
 * Used on the loop's thread only.
 */
final class Multicast {
  /** How many packets wait for one group (I7). */
  static final int QUEUE = 64;

  /** How many groups there may be: a peer that asks by IPv6 makes the interface join one. */
  private static final int MAX_GROUPS = 1024;

  private final Link link;
  private final Map<Gid, Group> groups = new LinkedHashMap<>();
  private final Map<Gid, Integer> wanted = new LinkedHashMap<>(); // joins of the host, by group
  private final SendOnly sendOnly = new SendOnly(this);
  private final Joins joins;
  private final Umcast umcast = new Umcast();
  private final Audit audit;
  private @Nullable Group broadcast;
  private boolean ended;

  Multicast(Link link) {
    this.link = link;
    joins = new Joins(link, this, sendOnly);
    audit = new Audit(link);
  }

  /** Asks the subnet administrator how a port may send to groups it is no member of (I7). */
  void learn() {
    sendOnly.learn(link.sa, link.loop());
  }

  /** {@return whether {@link #end} was called} */
  boolean ended() {
    return ended;
  }

  /** Joins the broadcast group, and after it the groups that the host has joined. */
  void start(Gid gid) {
    if (broadcast == null) {
      broadcast = new Group(gid, false);
      groups.put(gid, broadcast);
      joins.join(broadcast);
    }
  }

  /** {@return the record of the broadcast group; null before it is joined} */
  @Nullable McMemberRecord broadcast() {
    return broadcast == null ? null : broadcast.record;
  }

  boolean isBroadcast(Group group) {
    return group.equals(broadcast);
  }

  /** {@return whether the interface has not left that group} */
  boolean has(Group group) {
    return group.equals(groups.get(group.mgid));
  }

  /** Joins the groups that the host has joined. */
  void joinWanted() {
    List.copyOf(wanted.keySet()).forEach(this::member);
  }

  /** {@return why the broadcast group is not joined} */
  String trouble() {
    return broadcast == null || broadcast.trouble.isEmpty()
        ? "waiting: joining the broadcast group"
        : broadcast.trouble;
  }

  /** Joins a group for the host. */
  void want(Gid mgid) {
    wanted.merge(mgid, 1, Integer::sum);
    member(mgid);
  }

  /** Undoes one {@link #want}; the last one leaves the group. */
  void unwant(Gid mgid) {
    if (wanted.computeIfPresent(mgid, (g, n) -> n == 1 ? null : n - 1) == null) {
      umcast.forget(mgid);
      Group group = groups.get(mgid);
      if (group != null && group != broadcast && !group.sendOnly) {
        leave(group);
      }
    }
  }

  private void member(Gid mgid) {
    Group group = groups.get(mgid);
    if (!link.config.umcast()) {
      hear(mgid);
    } else if (broadcast() != null && (group == null || group.sendOnly)) {
      umcast.ask(
          link,
          mgid,
          () -> {
            if (wanted.containsKey(mgid)) {
              hear(mgid);
            }
          });
    }
  }

  private void hear(Gid mgid) {
    McMemberRecord all = broadcast();
    if (all == null || !Groups.onLink(mgid, all.gid(Field.MGID))) {
      return; // W10: not a group of this link now; joined when the link's partition changes
    }
    Group group = groups.get(mgid);
    List<byte[]> waiting = List.of();
    if (group != null && group.sendOnly) { // the membership changes from send-only to full
      waiting = List.copyOf(group.queue);
      group.queue.clear();
      leave(group);
      group = null;
    }
    if (group == null) {
      group = new Group(mgid, false);
      group.queue.addAll(waiting);
      groups.put(mgid, group);
      joins.join(group);
    }
  }

  /** Sends a packet to a group, which is joined for sending only if it is not joined yet (I7). */
  void send(Gid mgid, Outgoing packet) {
    McMemberRecord all = broadcast();
    if (all == null || !Groups.onLink(mgid, all.gid(Field.MGID))) {
      link.drop(Drop.TX_NO_GROUP);
      return;
    }
    Group group = groups.get(mgid);
    if (group == null) {
      if (groups.size() >= MAX_GROUPS) {
        leaveOldest();
      }
      group = new Group(mgid, true);
      groups.put(mgid, group);
      joins.join(group);
    }
    group.usedNs = link.loop().now();
    AddressHandle ah = group.ah;
    Gid routers = Groups.allRouters(mgid);
    if (ah != null && group.record != null) {
      link.traffic.transmit(ah, WellKnown.QPN_MULTICAST, group.record.value(Field.QKEY), packet);
    } else if (group.absent && !mgid.equals(routers)) {
      send(routers, packet); // RFC 4391 section 10: the routers know the receivers
    } else if (group.absent) {
      link.drop(Drop.TX_NO_GROUP);
    } else if (group.queue.size() >= QUEUE) {
      link.drop(Drop.TX_GROUP_QUEUE);
    } else {
      group.queue.add(packet.toBytes());
    }
  }

  /** Of the groups that are joined for sending only, the one that was unused for longest goes. */
  private void leaveOldest() {
    Group oldest = null;
    for (Group group : groups.values()) {
      boolean own = group.sendOnly && group != broadcast;
      if (own && (oldest == null || group.usedNs - oldest.usedNs < 0)) {
        oldest = group;
      }
    }
    if (oldest != null) {
      leave(oldest);
    }
  }

  /** Handles trap 66: a group was created, so it has a receiver. */
  void created(Gid mgid) {
    Group group = groups.get(mgid);
    if (group != null && group.absent && group.retry != null) {
      group.retry.cancel();
      group.retry = null;
      joins.join(group);
    }
  }

  /** Handles trap 67: a group was deleted, so it has no receiver. */
  void deleted(Gid mgid) {
    Group group = groups.get(mgid);
    if (group != null && group.sendOnly && group.record != null) {
      leave(group); // the next packet joins the group again
    }
  }

  /** Leaves all groups; the groups that the host has joined are joined again by {@link #start}. */
  void stop() {
    List<Group> all = List.copyOf(groups.values()).reversed(); // the broadcast group last
    for (Group group : all) {
      leave(group);
    }
    umcast.clear();
    broadcast = null;
  }

  /** Leaves all groups for good and ends the subscriptions. */
  void end() {
    stop();
    ended = true;
    sendOnly.close();
  }

  void leave(Group group) {
    groups.remove(group.mgid);
    joins.leave(group);
  }

  /** Leaves groups that were joined for sending only and are idle (D4, I7). */
  void collect() {
    long now = link.loop().now();
    for (Group group : List.copyOf(groups.values())) {
      boolean settled = group.record != null || group.absent;
      if (group.sendOnly && settled && now - group.usedNs >= Paths.IDLE_NS) {
        leave(group);
      }
    }
    umcast.theirs().forEach(this::member); // the other users may have left these groups
  }

  /** Checks whether the subnet administrator still has the memberships. */
  void audit() {
    audit.round(groups.values(), broadcast);
  }

  /** {@return the state of each group, as text for users} */
  Map<String, String> list() {
    Map<String, String> list = new LinkedHashMap<>();
    groups.forEach((gid, group) -> list.put(gid.toString(), group.toString()));
    umcast.theirs().forEach(gid -> list.merge(gid.toString(), Umcast.SAID, (a, b) -> a + ", " + b));
    return list;
  }
}
