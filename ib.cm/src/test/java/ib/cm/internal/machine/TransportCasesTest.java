package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.TIMER;
import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.disconnects;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Cases.whole;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;
import static ib.cm.internal.machine.Lab.SERVICE;
import static ib.cm.internal.machine.Lab.TERMS;
import static ib.core.mad.cm.CmField.REP_EECN;
import static ib.core.mad.cm.CmField.REP_QPN;
import static ib.core.mad.cm.CmField.REQ_EXT_TRANSPORT;
import static ib.core.mad.cm.CmField.REQ_QPN;
import static ib.core.mad.cm.CmField.REQ_TRANSPORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.internal.machine.Lab.Heard;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The corner case K22, a thousand seeds each with a fifth of the messages lost, others repeated and
 * reordered: connections of other transports than RC end once, each side knows the other one's
 * queue pair, and nothing is left.
 */
@Tag("finding")
class TransportCasesTest {
  private static CmEndpoint end(Lab lab, Side side, QpType type, boolean srq) {
    return new CmEndpoint(type, side.queuePair(), lab.random.nextInt(1 << 24), 0, 0, 0, srq);
  }

  /** The passive side accepts with queue pairs of the transport that is asked for. */
  private static void accepts(Lab lab, Side side, boolean srq, Transport... served) {
    EnumSet<QpType> types = EnumSet.noneOf(QpType.class);
    for (Transport each : served) {
      types.add(each.passive());
    }
    side.listener = side.station.listen(SERVICE, types, 8, side::ears);
    side.decides =
        c ->
            lab.in(
                lab.upTo(20),
                side,
                () -> {
                  if (side.can(c, Input.ACCEPT)) {
                    CmEndpoint mine = end(lab, side, c.transport.passive(), srq);
                    side.heard(c).qpn = mine.qpn();
                    side.station.accept(c, mine, NONE);
                  }
                });
  }

  /** Two connections each of RC and of another transport, with shared receive queues or not. */
  private static void connect(Lab lab, Transport other) {
    boolean theirSrq = lab.percent(50);
    accepts(lab, lab.b, theirSrq, Transport.RC, other);
    Map<QpType, Boolean> srqs = Map.of(QpType.RC, lab.percent(50), other.active(), true);
    List<CmEndpoint> mine = new ArrayList<>();
    for (QpType each : List.of(QpType.RC, other.active(), other.active(), QpType.RC)) {
      CmEndpoint end = end(lab, lab.a, each, srqs.get(each));
      mine.add(end);
      lab.a.connect(lab.b, TERMS, end, NONE);
    }
    disconnects(lab, lab.percent(50) ? lab.a : lab.b);
    Consumer<CmEvent> asked =
        event -> {
          if (event instanceof CmEvent.Requested r) {
            lab.must(mine.contains(r.peer()), "the passive side hears " + r.peer());
          }
        };
    lab.b.does = lab.b.does.andThen((c, event) -> asked.accept(event));
    lab.a.does =
        lab.a.does.andThen(
            (c, event) -> {
              if (event instanceof CmEvent.Replied r) {
                boolean srq = theirSrq || c.transport == Transport.XRC;
                lab.must(r.peer().srq() == srq, "shared receive queue of " + r.peer());
                lab.must(r.peer().type() == c.transport.passive(), "type of " + r.peer());
              }
            });
    lab.fate =
        (from, m) -> {
          wire(lab, from, m);
          return lab.chance();
        };
    whole(lab, 4, CmEnd.DISCONNECTED);
    lab.then(
        () ->
            lab.a.heard.forEach(
                (c, h) -> lab.must(knows(lab.b, c), c.transport + " " + c + " and " + c.peer)));
  }

  /** Checks how a message says the transport of its sender's connection, and the queue pair. */
  private static void wire(Lab lab, Side from, CmMessage m) {
    from.heard.forEach(
        (c, h) -> {
          boolean xrc = c.transport == Transport.XRC;
          if (c.id == m.localId() && m.kind() == CmKind.REQ) {
            int said = m.value(REQ_TRANSPORT) << 4 | m.value(REQ_EXT_TRANSPORT);
            int wanted = xrc ? 0x31 : c.transport == Transport.UC ? 0x10 : 0;
            lab.must(said == wanted && m.value(REQ_QPN) == h.qpn, c.transport + " as " + said);
          } else if (c.id == m.localId() && m.kind() == CmKind.REP) {
            boolean own = m.value(xrc ? REP_EECN : REP_QPN) == h.qpn;
            lab.must(own && m.value(xrc ? REP_QPN : REP_EECN) == 0, "REP of " + c.transport);
          }
        });
  }

  /** {@return whether the queue pair that one side knows is the one of the other side} */
  private static boolean knows(Side passive, Connection active) {
    CmEndpoint peer = active.peer;
    return peer != null
        && passive.heard.entrySet().stream()
            .filter(each -> each.getKey().id == active.remoteId)
            .anyMatch(each -> each.getValue().qpn == peer.qpn());
  }

  private static void uc(Lab lab) {
    connect(lab, Transport.UC);
  }

  private static void xrc(Lab lab) {
    connect(lab, Transport.XRC);
  }

  /** A net, or a codec, that changes messages of a kind. */
  private static Consumer<Lab> changed(Consumer<Lab> script, CmKind kind, Consumer<CmMessage> how) {
    return lab -> {
      script.accept(lab);
      lab.fate =
          (from, m) -> {
            if (m.kind() != kind) {
              return lab.chance();
            }
            CmMessage other = (CmMessage) CmMessage.read(m.mad().copy());
            how.accept(other);
            for (int copies = lab.chance(); copies > 0; copies--) {
              lab.deliver(other.mad(), from.lid, 3 - from.lid, lab.upTo(50));
            }
            return 0;
          };
    };
  }

  private static final StateTable NOT_REPEATED =
      StateTable.IBA.with(State.DREQ_SENT, Input.AGAIN, State.DREQ_SENT, TIMER);

  @Test
  @DisplayName("K22: UC, with shared receive queues and without, beside RC at one listener")
  void unreliable() {
    right(TransportCasesTest::uc);
    caught(TransportCasesTest::uc, NOT_REPEATED);
    caught(
        changed(TransportCasesTest::uc, CmKind.REQ, m -> m.set(REQ_TRANSPORT, 0)), StateTable.IBA);
  }

  @Test
  @DisplayName("K22: XRC, beside RC at one listener: the REP has the target's number as EECN")
  void extended() {
    right(TransportCasesTest::xrc);
    caught(TransportCasesTest::xrc, NOT_REPEATED);
    Consumer<CmMessage> asRc = m -> m.set(REP_QPN, m.value(REP_EECN)).set(REP_EECN, 0);
    caught(changed(TransportCasesTest::xrc, CmKind.REP, asRc), StateTable.IBA);
    Consumer<CmMessage> dynamic = m -> m.set(REQ_EXT_TRANSPORT, 0);
    caught(changed(TransportCasesTest::xrc, CmKind.REQ, dynamic), StateTable.IBA);
  }

  /** The listener has queue pairs of one type, and peers ask for each. */
  private static void others(Lab lab) {
    Transport served = Transport.values()[lab.random.nextInt(Transport.values().length)];
    accepts(lab, lab.b, false, served);
    disconnects(lab, lab.a);
    for (Transport each : Transport.values()) {
      lab.a.connect(lab.b, TERMS, end(lab, lab.a, each.active(), false), NONE);
    }
    lab.then(
        () -> {
          lab.must(lab.b.heard.size() == 1, "the listener hears of " + lab.b.heard.size());
          lab.a.heard.forEach(
              (c, h) -> {
                boolean made = h.end() == CmEnd.DISCONNECTED && h.isUp();
                boolean rejected = h.end() == CmEnd.REJECTED && h.reason() == 9;
                lab.must(c.transport == served ? made : rejected, c.transport + " " + h.events);
              });
        });
  }

  @Test
  @DisplayName("K22: a listener takes the transport that it says; others are rejected, reason 9")
  void otherTransports() {
    right(TransportCasesTest::others);
    caught(
        changed(TransportCasesTest::others, CmKind.REQ, m -> m.set(REQ_TRANSPORT, 0)),
        StateTable.IBA);
  }

  /** A REQ for a transport that nobody has comes beside one for RC. */
  private static void unknown(Lab lab) {
    boolean reliableDatagrams = lab.percent(50);
    int extension = lab.percent(50) ? 0 : 2 + lab.random.nextInt(6); // 1 is XRC
    accepts(lab, lab.b, false, Transport.values());
    boolean[] first = {true};
    lab.fate =
        (from, m) -> {
          if (m.kind() == CmKind.REQ && first[0]) {
            first[0] = false;
            CmMessage other = (CmMessage) CmMessage.read(m.mad().copy());
            other.ids(m.localId() ^ 1, 0).set(REQ_QPN, 77);
            other.set(REQ_TRANSPORT, reliableDatagrams ? 2 : 3);
            other.set(REQ_EXT_TRANSPORT, extension);
            lab.deliver(other.mad(), 1, 2, lab.upTo(50));
          }
          return lab.chance();
        };
    disconnects(lab, lab.a);
    lab.a.connect(lab.b, TERMS, end(lab, lab.a, QpType.RC, false), NONE);
    lab.then(() -> lab.must(lab.b.sent("REJ 9") == 1, "REJ 9"));
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K22: RD, and extended transports that are not XRC, are rejected with reason 9")
  void unknownTransports() {
    right(TransportCasesTest::unknown);
  }

  @Test
  @DisplayName("K22: a request is accepted with a queue pair of its type, and with no other")
  void wrongType() {
    Lab lab = new Lab(1, StateTable.IBA);
    lab.fate = (from, m) -> 1;
    List<String> refused = new ArrayList<>();
    lab.b.listener =
        lab.b.station.listen(SERVICE, EnumSet.of(QpType.XRC_TGT, QpType.UC), 8, lab.b::ears);
    Consumer<Connection> tries =
        c -> {
          for (QpType type : List.of(QpType.RC, QpType.XRC_INI, QpType.UC, QpType.XRC_TGT)) {
            CmEndpoint mine = CmEndpoint.of(7, 7).type(type);
            if (type != c.transport.passive()) {
              assertThrows(IbInvalidException.class, () -> lab.b.station.accept(c, mine, NONE));
              refused.add(c.transport + " " + type);
            }
          }
          lab.b.station.close(c);
        };
    lab.b.decides = c -> lab.in(MS, lab.b, () -> tries.accept(c));
    lab.a.connect(lab.b, TERMS, end(lab, lab.a, QpType.XRC_INI, false), NONE);
    lab.in(
        100 * MS,
        lab.a,
        () -> lab.a.connect(lab.b, TERMS, end(lab, lab.a, QpType.UC, false), NONE));
    lab.then(
        () -> {
          for (Heard each : lab.a.heard.values()) {
            lab.must(each.end() == CmEnd.REJECTED && each.reason() == 28, "" + each.events);
          }
        });
    assertEquals(List.of(), lab.run());
    assertEquals(
        List.of("XRC RC", "XRC XRC_INI", "XRC UC", "UC RC", "UC XRC_INI", "UC XRC_TGT"), refused);
    CmEndpoint target = CmEndpoint.of(9, 9).type(QpType.XRC_TGT);
    assertThrows(
        IbInvalidException.class, () -> lab.a.connect(lab.b, TERMS, target, NONE), "it is passive");
    assertThrows(IbInvalidException.class, () -> CmEndpoint.of(9, 9).type(QpType.UD));
  }
}
