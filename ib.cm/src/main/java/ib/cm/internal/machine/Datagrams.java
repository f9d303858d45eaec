package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.cm.CmDatagramRequest;
import ib.cm.CmEnd;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The datagram services of one port and the port's questions for those of others (SIDR, IBA 12.11).
 * There are no connections: a question has one answer, which is not confirmed. The question is
 * repeated until its answer comes. Part of a {@link Station}, with the same rules.
 */
public final class Datagrams {
  private static final int MAX_24_BITS = 0xffffff;
  private static final int MAX_STATUS = 5;
  private static final int JITTER = 10; // a tenth of the time, as for connections (CM-38)

  private final Self self;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Out out;
  private final Strangers strangers;
  private final Counts counts;
  private final Map<Long, DatagramListener> listeners = new HashMap<>();
  private final Map<Integer, Query> queries = new HashMap<>();
  private final Map<Asked.Key, Asked> asked = new HashMap<>();
  private final TreeSet<Query> timers =
      new TreeSet<>(Comparator.<Query>comparingLong(q -> q.timerNs).thenComparingInt(q -> q.id));

  Datagrams(
      Self self,
      LongSupplier clock,
      RandomGenerator random,
      Out out,
      Strangers strangers,
      Counts counts) {
    this.self = self;
    this.clock = clock;
    this.random = random;
    this.out = out;
    this.strangers = strangers;
    this.counts = counts;
  }

  // ---- this port asks ----

  /** Asks; see {@link ib.cm.CmPort#resolve}. */
  public Query resolve(
      long serviceId,
      CmPath path,
      CmTerms terms,
      byte[] privateData,
      Consumer<Query.Outcome> ears) {
    int id = freeId();
    CmMessage m = CmMessage.of(CmKind.SIDR_REQ, self.tid(id)).set(SIDR_REQ_REQUEST_ID, id);
    m.set(SIDR_REQ_PKEY, path.pkey()).set(SIDR_REQ_SERVICE_ID, serviceId).privateData(privateData);
    long now = clock.getAsLong();
    long most = terms.deadlineMs();
    long deadline = most == 0 ? Connection.NO_TIMER : now + most * 1_000_000L;
    Query q = new Query(m, path.way(), path.pkeyIndex(), terms, deadline, ears);
    queries.put(id, q);
    send(q, now);
    return q;
  }

  private int freeId() {
    int id = random.nextInt();
    while (id == 0 || queries.containsKey(id)) {
      id = random.nextInt();
    }
    return id;
  }

  private void send(Query q, long nowNs) {
    if (q.sent++ > 0) {
      counts.repeated(CmKind.SIDR_REQ);
    }
    out.send(q.message, q.way, q.pkeyIndex);
    long ns = Times.ns(q.terms.responseTimeout());
    q.timerNs = Math.min(nowNs + ns + random.nextLong(ns / JITTER + 1), q.deadlineNs);
    timers.add(q);
  }

  /** Gives a question up; does nothing when it has ended. */
  public void end(Query q, CmEnd how) {
    end(q, new Query.Outcome(how, q.sent, null));
  }

  private void end(Query q, Query.Outcome outcome) {
    if (queries.remove(q.id, q)) {
      timers.remove(q);
      q.ears.accept(outcome);
    }
  }

  /** A SIDR_REP has arrived. */
  void replied(Arrival from) {
    CmMessage rep = from.message();
    Query q = queries.get(rep.value(SIDR_REP_REQUEST_ID));
    if (q == null) {
      counts.dropped(Drop.UNASKED);
    } else if (!Strangers.same(q.way, from.answer())) {
      counts.dropped(Drop.FOREIGN_SOURCE);
    } else {
      end(q, new Query.Outcome(CmEnd.CLOSED, q.sent, rep));
    }
  }

  /** Serves the timers that are due. */
  void tick() {
    long now = clock.getAsLong();
    while (nextNs() <= now && !timers.isEmpty()) {
      Query q = timers.removeFirst();
      if (q.sent > q.terms.maxRetries() || now >= q.deadlineNs) {
        end(q, CmEnd.UNREACHABLE);
      } else {
        send(q, now);
      }
    }
  }

  long nextNs() {
    return timers.isEmpty() ? Connection.NO_TIMER : timers.first().timerNs;
  }

  // ---- this port is asked ----

  /**
   * Has a service; see {@link ib.cm.CmPort#serve}.
   *
   * @param ears take a question, or say that they cannot
   */
  public DatagramListener serve(long serviceId, int backlog, Predicate<Asked> ears) {
    DatagramListener l = new DatagramListener(serviceId, backlog, ears);
    if (listeners.putIfAbsent(serviceId, l) != null) {
      throw new IbExistsException(
          "serve", String.format("service 0x%016x has a listener", serviceId), "close that one");
    }
    return l;
  }

  /** {@return whether the port has a service} */
  boolean serves(long serviceId) {
    return listeners.containsKey(serviceId);
  }

  /** Ends a service, and refuses the questions that wait with status 2. */
  public void withdraw(DatagramListener l) {
    if (listeners.remove(l.serviceId, l)) {
      for (Asked each : List.copyOf(asked.values())) {
        if (l.equals(each.listener)) {
          refuse(each);
        }
      }
    }
  }

  /** A SIDR_REQ has arrived. */
  void requested(Arrival from) {
    CmMessage req = from.message();
    DatagramListener l = listeners.get(req.longValue(SIDR_REQ_SERVICE_ID));
    Asked.Key key = new Asked.Key(Strangers.source(from.answer()), req.value(SIDR_REQ_REQUEST_ID));
    if (asked.containsKey(key)) {
      counts.duplicate(CmKind.SIDR_REQ);
      counts.dropped(Drop.DUPLICATE);
    } else if (l == null) {
      strangers.noDatagramService(from);
    } else if (!l.waiting.takes(key.source())) {
      counts.dropped(Drop.BACKLOG);
    } else if (!strangers.allows(from)) {
      counts.dropped(Drop.RATE);
    } else {
      Asked a = new Asked(key, from, l);
      asked.put(key, a);
      l.waiting.add(key.source());
      if (!l.ears.test(a)) {
        forget(a);
        counts.dropped(Drop.BACKLOG);
      }
    }
  }

  private boolean forget(Asked a) {
    boolean was = asked.remove(a.key, a);
    if (was) {
      a.listener.waiting.remove(a.key.source());
    }
    return was;
  }

  /** Answers with a queue pair; see {@link CmDatagramRequest#accept}. */
  public void accept(Asked a, int qpn, int qkey, byte[] privateData) {
    if (qpn < 0 || qpn > MAX_24_BITS) {
      throw new IbInvalidException("qpn " + qpn, "out of range", "0 to " + MAX_24_BITS);
    }
    CmMessage rep = rep(a, 0).set(SIDR_REP_QPN, qpn).set(SIDR_REP_QKEY, qkey & 0xffff_ffffL);
    answer(a, rep.privateData(privateData));
  }

  /** Refuses; see {@link CmDatagramRequest#reject}. */
  public void reject(Asked a, int status, byte[] privateData) {
    if (status < 1 || status > MAX_STATUS) {
      throw new IbInvalidException("status " + status, "refuses nothing", "1 to " + MAX_STATUS);
    }
    answer(a, rep(a, status).privateData(privateData));
  }

  /** Refuses with status 2, unless it was answered. */
  public void refuse(Asked a) {
    if (forget(a)) {
      out.send(rep(a, CmDatagramRequest.REJECTED), a.from.answer(), a.from.pkeyIndex());
    }
  }

  private static CmMessage rep(Asked a, int status) {
    CmMessage rep = CmMessage.of(CmKind.SIDR_REP, a.from.message().tid());
    rep.set(SIDR_REP_REQUEST_ID, a.key.requestId() & 0xffff_ffffL);
    return rep.set(SIDR_REP_SERVICE_ID, a.listener.serviceId).set(SIDR_REP_STATUS, status);
  }

  private void answer(Asked a, CmMessage rep) {
    if (!forget(a)) {
      throw new IbInvalidException(
          a.toString(), "it is answered already, or the service has ended", "answer it once");
    }
    out.send(rep, a.from.answer(), a.from.pkeyIndex());
  }

  /** {@return entries of all tables} */
  int size() {
    return listeners.size() + queries.size() + asked.size() + timers.size();
  }
}
