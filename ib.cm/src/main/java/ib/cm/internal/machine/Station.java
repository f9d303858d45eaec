package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.Mad;
import ib.core.mad.cm.CmDecoded;
import ib.core.mad.cm.CmDrop;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager of one port. Its owner calls it on one thread at a time, hands it the
 * datagrams that arrive, and calls {@link #tick} when {@link #nextNs} has come. Events of a
 * connection go to its ears, during the call that causes them.
 */
public final class Station {
  private final LongSupplier clock;
  private final StateTable table;
  private final Counts counts = new Counts();
  private final Map<Long, Listener> listeners = new HashMap<>();
  private final Book book;
  private final Steps steps;
  private final Pace pace;
  private final Strangers strangers;
  private final Admission admission;
  private final Datagrams datagrams;

  /**
   * Creates the connection manager of a port.
   *
   * @param self the port
   * @param clock nanoseconds, from any beginning
   * @param random makes names and jitter
   * @param out where messages go
   * @param table what each state does
   */
  public Station(Self self, LongSupplier clock, RandomGenerator random, Out out, StateTable table) {
    this(self, clock, random, out, table, Limits.DEFAULT);
  }

  Station(
      Self self,
      LongSupplier clock,
      RandomGenerator random,
      Out out,
      StateTable table,
      Limits limits) {
    this.clock = clock;
    this.table = table;
    book = new Book(random);
    Out counted =
        (message, way, pkeyIndex) -> {
          counts.sent(message.kind());
          out.send(message, way, pkeyIndex);
        };
    steps = new Steps(self, clock, random, book, counted, counts);
    pace = new Pace(limits.asked(), steps::askNow);
    strangers = new Strangers(self, counted, counts);
    datagrams = new Datagrams(self, clock, random, counted, strangers, counts);
    admission =
        new Admission(
            self,
            book,
            strangers,
            counts,
            new Admission.Served(listeners, datagrams::serves),
            limits);
  }

  /** {@return the datagram services of the port} */
  public Datagrams datagrams() {
    return datagrams;
  }

  /** Connects; see {@link ib.cm.CmPort#connect}. */
  public Connection connect(
      long serviceId,
      CmPath path,
      CmEndpoint mine,
      CmTerms terms,
      byte[] privateData,
      Function<Connection, Consumer<CmEvent>> ears) {
    check(CmKind.REQ, privateData);
    Transport transport = Transport.of(mine.type());
    Connection c = new Connection(book.freeId(), true, path, transport, terms, clock.getAsLong());
    c.serviceId = serviceId;
    c.mine = mine;
    c.privateData = privateData.clone();
    c.ears = ears.apply(c);
    book.add(c);
    call(c, Input.CONNECT);
    return c;
  }

  /** Accepts; see {@link CmConnection#accept}. */
  public void accept(Connection c, CmEndpoint mine, byte[] privateData) {
    check(CmKind.REP, privateData);
    allow(c, Input.ACCEPT);
    c.transport.checkPassive("accept of " + c, mine.type());
    c.mine = mine;
    c.privateData = privateData.clone();
    call(c, Input.ACCEPT);
  }

  /** Rejects; see {@link CmConnection#reject}. */
  public void reject(Connection c, int reason, byte[] info, byte[] privateData) {
    check(CmKind.REJ, privateData);
    if (info.length > CmMessage.MAX_REJ_INFO) {
      throw new IbInvalidException(
          "additional information", info.length + " bytes", "at most " + CmMessage.MAX_REJ_INFO);
    }
    allow(c, Input.REJECT);
    give(c, reason, info, privateData);
    call(c, Input.REJECT);
  }

  /** Confirms a reply; see {@link CmConnection#ready}. */
  public void ready(Connection c, byte[] privateData) {
    check(CmKind.RTU, privateData);
    allow(c, Input.READY);
    c.rtuData = privateData.clone();
    call(c, Input.READY);
  }

  /** Data has come; see {@link CmConnection#dataArrived}. */
  public void dataArrived(Connection c) {
    step(c, Input.DATA, null);
  }

  /** Disconnects; see {@link CmConnection#disconnect}. */
  public void disconnect(Connection c, byte[] privateData) {
    check(CmKind.DREQ, privateData);
    allow(c, Input.DISCONNECT);
    give(c, CmConnection.CONSUMER_REJECT, Connection.NOTHING, Connection.NOTHING);
    c.privateData = c.state == State.ESTABLISHED ? privateData.clone() : Connection.NOTHING;
    call(c, Input.DISCONNECT);
  }

  /** Closes a connection; see {@link CmConnection#end}. */
  public void close(Connection c) {
    end(c, Input.CLOSE);
  }

  /** Ends a connection at once, because the port's connection manager is closed. */
  public void remove(Connection c) {
    end(c, Input.REMOVE);
  }

  private void end(Connection c, Input how) {
    if (table.row(c.state, how) != null) {
      give(c, CmConnection.CONSUMER_REJECT, Connection.NOTHING, Connection.NOTHING);
      step(c, how, null);
    }
  }

  private static void give(Connection c, int reason, byte[] info, byte[] privateData) {
    c.reason = reason;
    c.info = info.clone();
    c.privateData = privateData.clone();
  }

  private static void check(CmKind kind, byte[] privateData) {
    if (privateData.length > kind.privateBytes()) {
      throw new IbInvalidException(
          "private data of " + kind,
          privateData.length + " bytes",
          "at most " + kind.privateBytes());
    }
  }

  private void allow(Connection c, Input input) {
    if (table.row(c.state, input) == null) {
      throw new IbInvalidException(
          input.name().toLowerCase(Locale.ROOT) + " of " + c,
          "the state is " + c.state,
          "look at the events of the connection");
    }
  }

  private void call(Connection c, Input input) {
    allow(c, input);
    step(c, input, null);
  }

  /**
   * Listens; see {@link ib.cm.CmPort#listen}.
   *
   * @param types of queue pairs with which the listener accepts
   * @param ears makes the ears of a requested connection
   */
  public Listener listen(
      long serviceId,
      Set<QpType> types,
      int backlog,
      Function<Connection, Consumer<CmEvent>> ears) {
    Listener l = new Listener(serviceId, types, backlog, ears);
    if (listeners.putIfAbsent(serviceId, l) != null) {
      throw new IbExistsException(
          "listen", String.format("service 0x%016x has a listener", serviceId), "close that one");
    }
    return l;
  }

  /** Stops to listen, and rejects the requests that wait. */
  public void unlisten(Listener l) {
    if (listeners.remove(l.serviceId, l)) {
      for (Connection c : book.all()) {
        if (l.equals(c.waitsAt)) {
          close(c);
        }
      }
    }
  }

  /**
   * A datagram of the class has arrived.
   *
   * @param mad the datagram
   * @param answer the way back
   * @param pkeyIndex index of its P_Key
   */
  public void received(Mad mad, AhAttr answer, int pkeyIndex) {
    CmDecoded decoded = CmMessage.read(mad);
    switch (decoded) {
      case CmDrop drop -> counts.dropped(drop);
      case CmMessage m -> received(new Arrival(m, answer, pkeyIndex, clock.getAsLong()));
    }
  }

  /** Counts a datagram that the owner has not handed over. */
  public void refused(Drop why) {
    counts.dropped(why);
  }

  private void received(Arrival from) {
    CmMessage m = from.message();
    counts.received(m.kind());
    switch (m.kind()) {
      case REQ -> requested(from);
      case SIDR_REQ -> datagrams.requested(from);
      case SIDR_REP -> datagrams.replied(from);
      case APR -> counts.dropped(Drop.UNASKED);
      default -> named(from);
    }
  }

  private void requested(Arrival from) {
    Connection c = admission.known(from);
    if (c == null) {
      c = admission.admit(from, this::close);
    }
    if (c != null) {
      take(c, Input.REQ, from.message());
    }
  }

  private void named(Arrival from) {
    CmMessage m = from.message();
    Connection c = admission.named(from);
    if (c == null) {
      return;
    }
    if (m.kind() == CmKind.REP && c.active) {
      Object source = Strangers.source(from.answer());
      Connection old =
          book.of(source, m.longValue(REP_CA_GUID), m.value(c.transport.qpn(CmKind.REP)));
      if (old != null && !old.equals(c)) { // CM-40: the REQ goes on being repeated
        admission.stale(old, from, this::close);
        return;
      }
    }
    Input input = admission.input(c, m);
    if (input != null) {
      take(c, input, m);
    }
  }

  private void take(Connection c, Input input, CmMessage m) {
    if (c.hasHeard(input)) {
      counts.duplicate(m.kind());
    }
    if (!step(c, input, m)) {
      counts.dropped(Drop.OUT_OF_STATE);
    }
  }

  /** The loop: one row of the table, its acts in order; {@return whether there was a row}. */
  private boolean step(Connection c, Input input, @Nullable CmMessage m) {
    StateTable.Row row = table.row(c.state, input);
    if (row == null) {
      return false;
    }
    State was = c.state;
    c.state = row.next();
    if (was != c.state || input == Input.AGAIN) {
      pace.leave(c, clock.getAsLong());
    }
    if (was.isHalfOpen() && !c.state.isHalfOpen()) {
      admission.settled(c);
    } else if (was.isHalfOpen() && input == Input.AGAIN) {
      admission.late(c);
    }
    Listener waited = c.waitsAt;
    if (waited != null && c.state != State.REQ_RCVD && c.state != State.MRA_REQ_SENT) {
      waited.waiting.remove(Strangers.source(c.way));
      c.waitsAt = null;
    }
    for (Act act : row.acts()) {
      steps.perform(act, c, was, m);
      if (act == Act.ASK_REQ || act == Act.ASK_DREQ) {
        ask(c, act);
      }
    }
    return true;
  }

  private void ask(Connection c, Act what) {
    if (pace.enter(c, what, clock.getAsLong())) {
      steps.askNow(c);
    } else {
      steps.askLater(c);
    }
  }

  /** Serves the timers that are due. */
  public void tick() {
    long now = clock.getAsLong();
    for (Connection c = book.next(); c != null && c.timerNs <= now; c = book.next()) {
      book.timer(c, Connection.NO_TIMER);
      boolean late = c.state != State.DREQ_SENT && now >= Times.deadline(c);
      boolean again = c.state != State.TIMEWAIT && c.tries < c.terms.maxRetries() && !late;
      if (again) {
        c.tries++;
      }
      step(c, again ? Input.AGAIN : Input.LAST, null);
    }
    pace.tick(now);
    datagrams.tick();
  }

  /** {@return when {@link #tick} is to be called, {@link Long#MAX_VALUE} for never} */
  public long nextNs() {
    Connection c = book.next();
    long timer = c == null ? Connection.NO_TIMER : c.timerNs;
    return Math.min(Math.min(timer, pace.nextNs()), datagrams.nextNs());
  }

  /** {@return entries of all tables: 0 when nothing is left of any connection} */
  public int size() {
    return book.size() + listeners.size() + datagrams.size() + pace.size();
  }

  /** {@return the counters by name} */
  public Map<String, Long> counters() {
    return counts.copy();
  }
}
