package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.*;

import ib.cm.CmEnd;
import ib.cm.CmEvent;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.cm.CmReason;
import ib.core.mad.smp.MadField;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Performs the acts of a row. */
final class Steps {
  private static final int OF_REQ = 0;
  private static final int OF_REP = 1;
  private static final int OF_OTHER = 2;
  private static final int APR_NOT_SUPPORTED = 2;
  private static final int JITTER = 10; // a tenth of the time (CM-38)

  private final Self self;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Book book;
  private final Out out;
  private final Counts counts;

  Steps(Self self, LongSupplier clock, RandomGenerator random, Book book, Out out, Counts counts) {
    this.self = self;
    this.clock = clock;
    this.random = random;
    this.book = book;
    this.out = out;
    this.counts = counts;
  }

  /**
   * Performs one act.
   *
   * @param was the state before the row
   * @param m the message that is the row's input, or null
   */
  void perform(Act act, Connection c, State was, @Nullable CmMessage m) {
    switch (act) {
      case ASK_REQ -> prepare(c, act); // the station sends it in its turn
      case ASK_DREQ -> {
        prepare(c, act);
        book.dropQpn(c); // a peer that connects by it again has left this connection (CM-40)
      }
      case ASK_REP -> {
        prepare(c, act);
        askNow(c);
      }
      case REPEAT -> {
        if (c.asked != null) {
          counts.repeated(c.asked.kind());
        }
        sendAsked(c);
      }
      case TIMER -> timer(c, Times.answer(c));
      case LONGER -> longer(c, m);
      case STOP -> {
        book.timer(c, Connection.NO_TIMER);
        c.asked = null; // a connection may live for years
        c.privateData = Connection.NOTHING;
      }
      case SAY_RTU -> say(c, CmMessage.of(CmKind.RTU, c.tid).privateData(c.rtuData));
      case SAY_MRA -> mra(c);
      case SAY_REJ -> reject(c, was);
      case SAY_REJ_TIMEOUT -> timedOut(c);
      case SAY_REJ_STALE -> stale(c, m);
      case SAY_DREQ -> say(c, dreq(c));
      case SAY_DREP -> drep(c, m);
      case SAY_APR ->
          say(c, CmMessage.of(CmKind.APR, tid(c, m)).set(APR_STATUS, APR_NOT_SUPPORTED));
      case LEARN -> learn(c, m);
      case REQUESTED, REPLIED, UP -> tell(c, act, m);
      case END_REJECTED -> end(c, CmEnd.REJECTED, m);
      case END_UNREACHABLE -> end(c, CmEnd.UNREACHABLE, m);
      case END_DISCONNECTED -> end(c, CmEnd.DISCONNECTED, m);
      case END_TIMED_OUT -> end(c, CmEnd.TIMED_OUT, m);
      case END_CLOSED -> end(c, CmEnd.CLOSED, m);
      case END_LOST -> end(c, CmEnd.LOST, m);
      case END_REMOVED -> end(c, CmEnd.REMOVED, m);
      case WAIT -> {
        book.dropQpn(c);
        c.asked = null;
        book.timer(c, clock.getAsLong() + Times.timewait(c));
      }
      case FREE -> {
        book.remove(c);
        c.ears.accept(new CmEvent.Released());
      }
    }
  }

  private static long tid(Connection c, @Nullable CmMessage m) {
    return m == null ? c.tid : m.tid();
  }

  private void say(Connection c, CmMessage m) {
    out.send(m.ids(c.id, c.remoteId), c.way, c.pkeyIndex);
  }

  private void prepare(Connection c, Act act) {
    if (act == Act.ASK_REQ) {
      c.tid = self.tid(c.id);
    }
    c.asked =
        switch (act) {
          case ASK_REQ -> Requests.req(c, self);
          case ASK_REP -> Requests.rep(c, self);
          default -> dreq(c);
        };
    c.tries = 0;
    c.extensions = 0;
  }

  /** Sends the question of a connection, and starts its timer. */
  void askNow(Connection c) {
    sendAsked(c);
    timer(c, Times.answer(c));
  }

  /** The question waits for its turn, at most until the handshake must be over. */
  void askLater(Connection c) {
    book.timer(c, c.state == State.DREQ_SENT ? Connection.NO_TIMER : Times.deadline(c));
  }

  private void sendAsked(Connection c) {
    if (c.asked != null) {
      out.send(c.asked, c.way, c.pkeyIndex);
    }
  }

  private void drep(Connection c, @Nullable CmMessage dreq) {
    if (c.remoteId == 0 && dreq != null) {
      c.remoteId = dreq.localId();
    }
    say(c, CmMessage.of(CmKind.DREP, tid(c, dreq)));
  }

  private CmMessage dreq(Connection c) {
    CmMessage dreq = CmMessage.of(CmKind.DREQ, c.active ? c.tid : self.tid(c.id));
    dreq.set(DREQ_REMOTE_QPN, c.peer().qpn());
    return dreq.ids(c.id, c.remoteId).privateData(c.privateData);
  }

  private void timer(Connection c, long ns) {
    long jitter = random.nextLong(ns / JITTER + 1); // longer only, never shorter
    long at = clock.getAsLong() + ns + jitter;
    book.timer(c, c.state == State.DREQ_SENT ? at : Math.min(at, Times.deadline(c)));
  }

  private void longer(Connection c, @Nullable CmMessage mra) {
    c.extensions++;
    timer(c, Times.longer(c.path, mra == null ? 0 : mra.value(MRA_SERVICE_TIMEOUT)));
  }

  private void mra(Connection c) {
    CmMessage mra = CmMessage.of(CmKind.MRA, c.tid).set(MRA_MSG, c.active ? OF_REP : OF_REQ);
    say(c, mra.set(MRA_SERVICE_TIMEOUT, Times.MAX_SERVICE_TIMEOUT));
  }

  private void reject(Connection c, State was) {
    boolean request = was == State.REQ_RCVD || was == State.MRA_REQ_SENT;
    CmMessage rej = CmMessage.of(CmKind.REJ, c.tid).set(REJ_REASON, c.reason);
    rej.set(REJ_MSG, request ? OF_REQ : c.active ? OF_REP : OF_OTHER);
    say(c, rej.rejectInfo(c.info).privateData(c.privateData));
  }

  /** Rejects for timeout, with the GUID by which a peer finds the connection. */
  private void timedOut(Connection c) {
    byte[] guid = new byte[8];
    MadField.write(MemorySegment.ofArray(guid), 0, 64, self.caGuid());
    CmMessage rej = CmMessage.of(CmKind.REJ, c.tid).set(REJ_REASON, CmReason.TIMEOUT.code());
    say(c, rej.set(REJ_MSG, OF_OTHER).rejectInfo(guid));
  }

  private void stale(Connection c, @Nullable CmMessage m) {
    boolean rep = m != null && m.kind() == CmKind.REP;
    CmMessage rej =
        CmMessage.of(CmKind.REJ, tid(c, m)).set(REJ_REASON, CmReason.STALE_CONNECTION.code());
    say(c, rej.set(REJ_MSG, rep ? OF_REP : OF_REQ));
  }

  private void learn(Connection c, @Nullable CmMessage rep) {
    if (rep != null) {
      c.remoteId = rep.localId();
      c.remoteGuid = rep.longValue(REP_CA_GUID);
      c.peer = Requests.peer(rep, c.transport);
      book.keepQpn(c);
    }
  }

  private static void tell(Connection c, Act act, @Nullable CmMessage m) {
    byte[] data = m == null ? Connection.NOTHING : m.privateData();
    c.ears.accept(
        switch (act) {
          case REQUESTED -> new CmEvent.Requested(c.serviceId, c.path, c.peer(), c.terms, data);
          case REPLIED -> new CmEvent.Replied(c.peer(), data);
          default -> new CmEvent.Established(data);
        });
  }

  private static void end(Connection c, CmEnd how, @Nullable CmMessage m) {
    CmMessage rej = m != null && m.kind() == CmKind.REJ ? m : null;
    c.ears.accept(
        new CmEvent.Ended(
            how,
            rej == null ? 0 : rej.value(REJ_REASON),
            rej == null ? Connection.NOTHING : rej.info(),
            m == null ? Connection.NOTHING : m.privateData()));
  }
}
