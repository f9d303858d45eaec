package ib.driver.soft.sm;

import static ib.core.sa.McMemberRecord.FULL_MEMBER;
import static ib.core.sa.McMemberRecord.SEND_ONLY_FULL_MEMBER;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.Notice;
import ib.core.sa.PathRecord;
import ib.core.sa.SaStatus;
import ib.core.verbs.Gid;
import ib.core.verbs.Rate;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups and their members (IBA 15.2.5.17). The first port of a partition that
 * requests the IPoIB broadcast group of the partition creates that group (RFC 4391 section 5),
 * which then stays.
 */
final class Groups {
  private static final long CREATE =
      Field.QKEY.mask()
          | Field.TCLASS.mask()
          | Field.PKEY.mask()
          | Field.FLOW_LABEL.mask()
          | Field.SL.mask();
  private static final long JOIN =
      Field.MGID.mask() | Field.PORT_GID.mask() | Field.JOIN_STATE.mask();
  private static final long SIGNATURE_IPV4 = 0x401bL;
  private static final long BROADCAST_LOW = 0xffff_ffffL;
  private static final int QKEY_CONTROLLED = 0x80000b1b; // as RFC 4391 section 4 recommends
  private static final int QKEY_OPENSM = 0x0b1b;
  private static final int MTU_2048 = 4;
  private static final int RATE_10 = 3;
  private static final int LIFE_TIME = 18;
  private static final int EXACTLY = 2;
  private static final int KEEPS = FULL_MEMBER | SEND_ONLY_FULL_MEMBER;
  private static final int RECEIVES = FULL_MEMBER | McMemberRecord.NON_MEMBER;

  private static final class Group {
    final McMemberRecord record;
    final boolean stays;
    final Map<NodePort, Integer> members = new LinkedHashMap<>(); // port to join state

    Group(McMemberRecord record, boolean stays) {
      this.record = record;
      this.stays = stays;
    }
  }

  private final BuiltinSm manager;
  private final Subscriptions subscriptions;
  private final Map<Gid, Group> groups = new LinkedHashMap<>();
  private final MlidPool mlids;
  private int qkey = QKEY_CONTROLLED;
  private long fresh;

  Groups(BuiltinSm manager, Subscriptions subscriptions) {
    this.manager = manager;
    this.subscriptions = subscriptions;
    this.mlids = new MlidPool(manager);
  }

  /**
   * Forgets the members, after another subnet manager was the master. Members are to join again;
   * groups keep their LIDs. The groups of IPoIB have OpenSM's Q_Key from now on: if the Q_Key
   * changed, ports that have joined again would not receive from ports that have not.
   */
  void forgetMembers() {
    groups.clear();
    qkey = QKEY_OPENSM;
  }

  /** {@return the multicast LIDs of all groups, or of those that a port is a member of} */
  Set<Integer> mlids(@Nullable NodePort port) {
    Set<Integer> found = new HashSet<>();
    for (Group g : groups.values()) {
      if (port == null || g.members.containsKey(port)) {
        found.add(g.record.value(Field.MLID));
      }
    }
    return found;
  }

  /** {@return the members that receive, or only send, of the groups of a multicast LID} */
  Set<NodePort> members(int mlid, boolean receive) {
    Set<NodePort> found = new HashSet<>();
    for (Group g : groups.values()) {
      if (g.record.value(Field.MLID) == mlid) {
        g.members.forEach(
            (port, state) -> {
              if ((state & RECEIVES) != 0 == receive) {
                found.add(port);
              }
            });
      }
    }
    return found;
  }

  McMemberRecord join(McMemberRecord asked) {
    if ((asked.componentMask() & JOIN) != JOIN || asked.value(Field.JOIN_STATE) == 0) {
      throw new Refusal(SaStatus.INSUFFICIENT_COMPONENTS);
    }
    NodePort port = member(asked);
    Gid mgid = asked.gid(Field.MGID);
    Group group = groups.get(mgid);
    if (group == null) {
      group = made(mgid, asked, port);
    } else if (!fits(asked, group.record)) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    group.members.merge(port, asked.value(Field.JOIN_STATE), (a, b) -> a | b);
    manager.group(group.record.value(Field.MLID));
    return answer(group, port);
  }

  private NodePort member(McMemberRecord asked) {
    for (NodePort p : manager.endpoints()) {
      if (PathRecords.gid(p).equals(asked.gid(Field.PORT_GID))) {
        return p;
      }
    }
    throw new Refusal(SaStatus.REQUEST_INVALID);
  }

  private Group made(Gid mgid, McMemberRecord asked, NodePort port) {
    boolean broadcast =
        mgid.high() >>> 56 == 0xff
            && (mgid.high() >>> 32 & 0xffff) == SIGNATURE_IPV4
            && mgid.low() == BROADCAST_LOW;
    int state = asked.value(Field.JOIN_STATE);
    if (broadcast) {
      int pkey = (int) (mgid.high() >>> 16) & 0xffff;
      boolean its = false;
      for (int k : port.pkeys()) {
        its |= k != 0 && (k & 0x7fff) == (pkey & 0x7fff);
      }
      if (!its) {
        throw new Refusal(SaStatus.REQUEST_INVALID);
      }
      McMemberRecord r = record(mgid).set(Field.QKEY, qkey & 0xffff_ffffL);
      return add(
          mgid, r.set(Field.MTU, MTU_2048).set(Field.RATE, RATE_10).set(Field.PKEY, pkey), true);
    }
    if ((state & KEEPS) == 0) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    if ((asked.componentMask() & CREATE) != CREATE) {
      throw new Refusal(SaStatus.INSUFFICIENT_COMPONENTS);
    }
    Gid name = mgid.equals(Gid.ZERO) ? unused() : mgid;
    if (name.toBytes()[0] != (byte) 0xff) {
      throw new Refusal(SaStatus.INVALID_GID);
    }
    McMemberRecord r = record(name);
    for (Field f :
        List.of(
            Field.QKEY,
            Field.TCLASS,
            Field.PKEY,
            Field.SL,
            Field.FLOW_LABEL,
            Field.HOP_LIMIT,
            Field.SCOPE)) {
      r.set(f, asked.number(f));
    }
    r.set(Field.SCOPE, name.high() >>> 48 & 0xf);
    r.set(Field.MTU, asked.has(Field.MTU) ? asked.value(Field.MTU) : MTU_2048);
    r.set(Field.RATE, asked.has(Field.RATE) ? asked.value(Field.RATE) : RATE_10);
    return add(name, r, false);
  }

  private Group add(Gid mgid, McMemberRecord record, boolean stays) {
    Map<Gid, Integer> used = new LinkedHashMap<>();
    groups.forEach((gid, g) -> used.put(gid, g.record.value(Field.MLID)));
    Group group = new Group(record.set(Field.MLID, mlids.mlid(mgid, used)), stays);
    groups.put(mgid, group);
    subscriptions.group(Notice.TRAP_MCG_CREATED, mgid);
    return group;
  }

  private Gid unused() {
    return new Gid(0xff12_a01b_fe80_0000L, ++fresh); // transient, link-local, chosen by the SA
  }

  private static McMemberRecord record(Gid mgid) {
    return new McMemberRecord()
        .set(Field.MGID, mgid)
        .set(Field.MTU_SELECTOR, EXACTLY)
        .set(Field.RATE_SELECTOR, EXACTLY)
        .set(Field.PACKET_LIFE_TIME_SELECTOR, EXACTLY)
        .set(Field.PACKET_LIFE_TIME, LIFE_TIME)
        .set(Field.SCOPE, mgid.high() >>> 48 & 0xf);
  }

  /** Returns whether a group has the values that a join requests (IBA 15.2.5.17.2). */
  private static boolean fits(McMemberRecord asked, McMemberRecord is) {
    for (Field f : List.of(Field.QKEY, Field.PKEY, Field.MLID, Field.SL, Field.TCLASS)) {
      if (asked.has(f) && asked.number(f) != is.number(f) && asked.number(f) != 0) {
        return false;
      }
    }
    return selected(asked, Field.MTU_SELECTOR, Field.MTU, is, n -> n)
        && selected(asked, Field.RATE_SELECTOR, Field.RATE, is, Rate::bitsPerSecond);
  }

  private static boolean selected(
      McMemberRecord asked,
      Field selector,
      Field field,
      McMemberRecord is,
      IntToLongFunction order) {
    if (!asked.has(selector) || !asked.has(field)) {
      return true;
    }
    long wanted = order.applyAsLong(asked.value(field));
    long given = order.applyAsLong(is.value(field));
    return switch (asked.value(selector)) {
      case 0 -> given > wanted;
      case 1 -> given < wanted;
      case EXACTLY -> given == wanted;
      default -> true;
    };
  }

  McMemberRecord leave(McMemberRecord asked) {
    Group group = groups.get(asked.gid(Field.MGID));
    NodePort port = member(asked);
    Integer state = group == null ? null : group.members.get(port);
    int leaves = asked.value(Field.JOIN_STATE);
    if (group == null || state == null || (state & leaves) == 0) {
      throw new Refusal(SaStatus.REQUEST_INVALID);
    }
    McMemberRecord answer = answer(group, port);
    left(asked.gid(Field.MGID), group, port, state & ~leaves);
    manager.group(group.record.value(Field.MLID));
    return answer;
  }

  private void left(Gid mgid, Group group, NodePort port, int state) {
    if (state == 0) {
      group.members.remove(port);
    } else {
      group.members.put(port, state);
    }
    boolean kept = group.members.values().stream().anyMatch(s -> (s & KEEPS) != 0);
    if (!kept && !group.stays) { // the last full member (IBA 15.2.5.17.4)
      groups.remove(mgid);
      subscriptions.group(Notice.TRAP_MCG_DELETED, mgid);
    }
  }

  void forget(NodePort port) {
    for (Map.Entry<Gid, Group> e : List.copyOf(groups.entrySet())) {
      if (e.getValue().members.containsKey(port)) {
        left(e.getKey(), e.getValue(), port, 0);
      }
    }
  }

  private static McMemberRecord answer(Group group, @Nullable NodePort port) {
    McMemberRecord r = new McMemberRecord();
    for (Field f : Field.values()) {
      if (f.place().bits() <= 64) {
        r.set(f, group.record.number(f));
      }
    }
    r.set(Field.MGID, group.record.gid(Field.MGID));
    if (port != null) {
      r.set(Field.PORT_GID, PathRecords.gid(port));
      r.set(Field.JOIN_STATE, group.members.getOrDefault(port, 0));
    }
    return r;
  }

  /** {@return the groups, or the members when the query names a port or a join state} */
  List<McMemberRecord> find(McMemberRecord query) {
    List<McMemberRecord> found = new ArrayList<>();
    boolean members = query.has(Field.PORT_GID) || query.has(Field.JOIN_STATE);
    for (Group g : groups.values()) {
      List<McMemberRecord> of = new ArrayList<>();
      if (members) {
        g.members.keySet().forEach(p -> of.add(answer(g, p)));
      } else {
        of.add(answer(g, null));
      }
      of.stream().filter(r -> r.matches(query)).forEach(found::add);
    }
    return found;
  }

  /** {@return the path to a group, without a source, or null when there is no such group} */
  @Nullable PathRecord path(Gid mgid) {
    Group g = groups.get(mgid);
    return g == null
        ? null
        : new PathRecord()
            .set(PathRecord.Field.DGID, mgid)
            .set(PathRecord.Field.DLID, g.record.value(Field.MLID))
            .set(PathRecord.Field.FLOW_LABEL, g.record.value(Field.FLOW_LABEL))
            .set(PathRecord.Field.HOP_LIMIT, g.record.value(Field.HOP_LIMIT))
            .set(PathRecord.Field.TCLASS, g.record.value(Field.TCLASS))
            .set(PathRecord.Field.PKEY, g.record.value(Field.PKEY))
            .set(PathRecord.Field.SL, g.record.value(Field.SL))
            .set(PathRecord.Field.MTU_SELECTOR, EXACTLY)
            .set(PathRecord.Field.MTU, g.record.value(Field.MTU))
            .set(PathRecord.Field.RATE_SELECTOR, EXACTLY)
            .set(PathRecord.Field.RATE, g.record.value(Field.RATE));
  }
}
