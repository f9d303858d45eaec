package ib.core.internal.sa;

import ib.core.mad.MadMethod;
import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaMembership.State;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The port's membership of one group, counted (M10). On the port's queue. */
final class Group extends Upkeep {
  /** The attributes that a later member's request must not change. */
  private static final Set<Field> FIXED =
      EnumSet.of(Field.QKEY, Field.MLID, Field.TCLASS, Field.PKEY, Field.SL, Field.FLOW_LABEL);

  /** The attributes of a group that is like another. */
  private static final List<Field> ALIKE =
      List.of(
          Field.QKEY,
          Field.TCLASS,
          Field.SL,
          Field.FLOW_LABEL,
          Field.HOP_LIMIT,
          Field.MTU,
          Field.RATE);

  private static final int EXACTLY = 2; // IBA table 210

  private final Gid mgid;
  private final List<Membership> members = new ArrayList<>();
  private @Nullable McMemberRecord record;
  private int joined;

  Group(SaPort port, Gid mgid) {
    super(port);
    this.mgid = mgid;
  }

  void add(Membership m) {
    members.add(m);
    step();
  }

  void remove(Membership m) {
    members.remove(m);
    step();
  }

  boolean joinedByOthers(Session session) {
    return members.stream().anyMatch(m -> !m.belongsTo(session) && m.state() != State.REFUSED);
  }

  @Nullable McMemberRecord joined() {
    return joined == 0 ? null : record;
  }

  boolean follows(Gid other) {
    return members.stream().anyMatch(m -> other.equals(m.like));
  }

  /**
   * {@return the request of a member now; null while the group that it is to be like is missing}
   */
  private @Nullable McMemberRecord request(Membership m) {
    if (m.like == null) {
      return m.request;
    }
    McMemberRecord other = port.joined(m.like);
    if (other == null) {
      return null;
    }
    McMemberRecord request = m.request.copy();
    for (Field same : ALIKE) {
      request.set(same, other.number(same));
    }
    return request.set(Field.MTU_SELECTOR, EXACTLY).set(Field.RATE_SELECTOR, EXACTLY);
  }

  private int wanted() {
    return members.stream()
        .filter(m -> m.state() != State.REFUSED)
        .mapToInt(Membership::joinState)
        .reduce(0, (a, b) -> a | b);
  }

  @Override
  boolean empty() {
    return members.isEmpty() && joined == 0;
  }

  @Override
  @Nullable Step<?> next() {
    for (Membership m : List.copyOf(members)) {
      if (m.state() == State.JOINING || m.state() == State.LOST) {
        McMemberRecord request = request(m);
        if (request != null && (m.joinState() & ~joined) != 0) {
          return new Join(m, request);
        }
        if (request != null) {
          admit(m, request);
        }
      }
    }
    int leaving = joined & ~wanted();
    return leaving == 0 ? null : new Leave(leaving);
  }

  /** Admits a new member to a group that the port has joined, if its request fits the group. */
  private void admit(Membership m, McMemberRecord request) {
    McMemberRecord r = record;
    if (r == null) {
      throw new IllegalStateException("joined without a record: " + mgid);
    }
    for (Field f : FIXED) {
      if (request.has(f) && request.number(f) != r.number(f)) {
        m.changed(
            State.REFUSED,
            r,
            new IbInvalidException(
                "join " + mgid, f + " differs from that of the group: " + r, "that value"));
        return;
      }
    }
    m.changed(State.MEMBER, r, null);
  }

  @Override
  void lost(IbException why) {
    joined = 0;
    for (Membership m : members) {
      if (m.state() == State.MEMBER) {
        m.changed(State.LOST, m.record(), why);
      } else if (m.state() == State.REFUSED) {
        m.again();
      }
    }
  }

  private final class Join implements Step<McMemberRecord> {
    private final Membership member;
    private final McMemberRecord request;

    Join(Membership member, McMemberRecord request) {
      this.member = member;
      this.request = request;
    }

    @Override
    public int method() {
      return MadMethod.SET;
    }

    @Override
    public McMemberRecord record() {
      return request.copy().set(Field.PORT_GID, port.gid());
    }

    @Override
    public void done(McMemberRecord answer) {
      record = answer;
      joined |= member.joinState();
      port.follow(mgid);
    }

    @Override
    public void refused(IbException why) {
      member.changed(State.REFUSED, member.record(), why);
    }

    @Override
    public boolean farewell() {
      return false;
    }
  }

  private final class Leave implements Step<McMemberRecord> {
    private final int states;

    Leave(int states) {
      this.states = states;
    }

    @Override
    public int method() {
      return MadMethod.DELETE;
    }

    @Override
    public McMemberRecord record() {
      return new McMemberRecord()
          .set(Field.MGID, mgid)
          .set(Field.PORT_GID, port.gid())
          .set(Field.JOIN_STATE, states);
    }

    @Override
    public void done(McMemberRecord answer) {
      joined &= ~states;
    }

    @Override
    public void refused(IbException why) {
      joined &= ~states; // nothing more can be done: the subnet administrator forgets it, or not
    }

    @Override
    public boolean farewell() {
      return true;
    }
  }
}
