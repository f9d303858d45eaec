package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.cm.CmReason;
import ib.core.mad.smp.MadField;
import ib.core.verbs.Gid;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Decides to which connection a message belongs, and whether a REQ makes a new one. */
final class Admission {
  private static final int MAX_EXTENSIONS = 2;

  /** The services of the port: listeners by service ID, and the IDs of datagram services. */
  record Served(Map<Long, Listener> listeners, LongPredicate datagrams) {}

  private final Self self;
  private final Book book;
  private final Strangers strangers;
  private final Counts counts;
  private final Served served;
  private final Backlog halfOpen;
  private final Backlog overdue;
  private final Quota rate;

  Admission(
      Self self, Book book, Strangers strangers, Counts counts, Served served, Limits limits) {
    this.self = self;
    this.book = book;
    this.strangers = strangers;
    this.counts = counts;
    this.served = served;
    halfOpen = new Backlog(limits.halfOpenOfAll(), limits.halfOpen());
    overdue = new Backlog(Integer.MAX_VALUE, limits.overdue());
    rate = new Quota(limits.requests());
  }

  /** {@return the connection that the same REQ has made before (CM-39), or null} */
  @Nullable Connection known(Arrival from) {
    CmMessage req = from.message();
    return book.requestedBy(source(from), req.longValue(REQ_CA_GUID), req.localId());
  }

  private static Object source(Arrival from) {
    return Strangers.source(from.answer());
  }

  /**
   * Rejects a REQ or REP whose queue pair is part of another connection of its sender, which the
   * sender has lost (CM-40), and ends that connection.
   */
  void stale(Connection old, Arrival from, Consumer<Connection> end) {
    strangers.reject(from, CmReason.STALE_CONNECTION, Connection.NOTHING);
    end.accept(old);
  }

  private static boolean isFrom(Connection c, Arrival from) {
    return Strangers.same(c.way, from.answer());
  }

  /**
   * {@return the connection of a REQ, in state IDLE; null when the REQ is refused}
   *
   * @param end ends a connection that the REQ shows to be lost
   */
  @Nullable Connection admit(Arrival from, Consumer<Connection> end) {
    CmMessage req = from.message();
    Listener l = served.listeners.get(req.longValue(REQ_SERVICE_ID));
    Transport transport = Transport.of(req);
    Gid mine = req.gid(REQ_REMOTE_GID);
    int gidIndex = self.gidIndex(mine);
    Gid theirs = req.gid(REQ_LOCAL_GID);
    Connection old = book.of(source(from), req.longValue(REQ_CA_GUID), req.value(REQ_QPN));
    if (old != null) {
      stale(old, from, end);
    } else if (l == null) {
      boolean other = served.datagrams.test(req.longValue(REQ_SERVICE_ID)); // CM-62
      CmReason reason = other ? CmReason.CONSUMER_REJECT : CmReason.INVALID_SERVICE_ID;
      strangers.reject(from, reason, Connection.NOTHING);
    } else if (transport == null || !l.takes(transport)) {
      strangers.reject(from, CmReason.INVALID_TRANSPORT_TYPE, Connection.NOTHING);
    } else if (gidIndex < 0 || theirs.isMulticast()) {
      strangers.rejectGid(from);
    } else if (!Requests.hasLid(req, self)) {
      strangers.reject(from, CmReason.INVALID_LID, Connection.NOTHING);
    } else if (req.value(REQ_MTU) > self.mtu().value()) {
      strangers.rejectMtu(from);
    } else if (!l.waiting.takes(source(from))) {
      counts.dropped(Drop.BACKLOG);
    } else if (!halfOpen.takes(source(from)) || !overdue.takes(source(from))) {
      counts.dropped(Drop.HALF_OPEN);
    } else if (!rate.take(source(from), from.nowNs())) {
      counts.dropped(Drop.RATE);
    } else {
      return made(l, from, transport, gidIndex);
    }
    return null;
  }

  /** The REP of a connection is sent again by its timer. */
  void late(Connection c) {
    if (!c.overdue) {
      c.overdue = true;
      overdue.add(Strangers.source(c.way));
    }
  }

  /** The handshake of a connection of a peer's is over. */
  void settled(Connection c) {
    halfOpen.remove(Strangers.source(c.way));
    if (c.overdue) {
      overdue.remove(Strangers.source(c.way));
    }
  }

  private Connection made(Listener l, Arrival from, Transport transport, int gidIndex) {
    CmMessage req = from.message();
    Connection c =
        new Connection(
            book.freeId(),
            false,
            Requests.back(req, self, gidIndex, from.pkeyIndex()),
            transport,
            Requests.terms(req),
            from.nowNs());
    c.way = from.answer();
    c.tid = req.tid();
    c.serviceId = l.serviceId;
    c.remoteGuid = req.longValue(REQ_CA_GUID);
    c.remoteId = req.localId();
    c.peer = Requests.peer(req, transport);
    c.waitsAt = l;
    l.waiting.add(source(from));
    halfOpen.add(source(from));
    c.ears = l.ears.apply(c);
    book.add(c);
    return c;
  }

  /** {@return the connection that the message names and may name, or null} */
  @Nullable Connection named(Arrival from) {
    CmMessage m = from.message();
    Connection c = book.named(m.remoteId());
    if (m.kind() == CmKind.REJ && m.value(REJ_REASON) == CmReason.TIMEOUT.code() && c == null) {
      c = abandoned(from);
    }
    if (c == null) {
      strangers.unknown(from);
      return null;
    }
    Drop wrong = wrong(c, from);
    if (wrong != null) {
      counts.dropped(wrong);
      return null;
    }
    return c;
  }

  /** {@return the connection whose active side gives up before it knows this side's name} */
  private @Nullable Connection abandoned(Arrival from) {
    CmMessage rej = from.message();
    byte[] guid = rej.info();
    return guid.length == Long.BYTES
        ? book.requestedBy(
            source(from), MadField.read(MemorySegment.ofArray(guid), 0, 64), rej.localId())
        : null;
  }

  private static @Nullable Drop wrong(Connection c, Arrival from) {
    CmMessage m = from.message();
    if (!isFrom(c, from)) {
      return Drop.FOREIGN_SOURCE;
    }
    boolean first =
        switch (m.kind()) {
          case REP, MRA, REJ, DREQ -> true; // may name a connection that has no peer yet
          default -> false;
        };
    boolean named = c.remoteId == 0 ? first : m.localId() == c.remoteId;
    boolean qpn =
        m.kind() != CmKind.DREQ || c.mine != null && m.value(DREQ_REMOTE_QPN) == c.mine.qpn();
    return named && qpn ? null : Drop.MISMATCH;
  }

  /** {@return the input that a message is to its connection, or null} */
  @Nullable Input input(Connection c, CmMessage m) {
    Input input =
        switch (m.kind()) {
          case REP -> c.active ? Input.REP : null;
          case RTU -> Input.RTU;
          case MRA -> c.extensions < MAX_EXTENSIONS && mraOf(c, m) ? Input.MRA : null;
          case REJ ->
              m.value(REJ_REASON) == CmReason.STALE_CONNECTION.code() ? Input.REJ_STALE : Input.REJ;
          case DREQ -> Input.DREQ;
          case DREP -> Input.DREP;
          case LAP -> c.active ? null : Input.LAP;
          default -> null;
        };
    if (input == null) {
      counts.dropped(Drop.OUT_OF_STATE);
    }
    return input;
  }

  private static boolean mraOf(Connection c, CmMessage mra) {
    return mra.value(MRA_MSG) == (c.active ? 0 : 1);
  }
}
