package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.*;
import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.disconnects;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Cases.whole;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmTerms;
import ib.cm.internal.machine.Lab.Heard;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The corner cases of a connection's life, a thousand seeds each with a fifth of the messages lost,
 * others repeated and reordered: every connection ends once, and nothing is left of it.
 */
@Tag("finding")
class CornerCasesTest {
  /** Drops the first messages of a kind; the others of this kind arrive. */
  private static void lose(Lab lab, CmKind kind, int count) {
    int[] left = {count};
    lab.fate = (from, m) -> m.kind() != kind ? lab.chance() : left[0]-- > 0 ? 0 : 1;
  }

  private static void lostReps(Lab lab) {
    lab.b.listen(4);
    lose(lab, CmKind.REP, 1 + lab.random.nextInt(15));
    lab.a.connect(lab.b);
    disconnects(lab, lab.a);
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K1: the REP is lost 1 to 15 times; the connection is made once")
  void reps() {
    right(CornerCasesTest::lostReps);
    StateTable t = StateTable.IBA.with(State.REP_SENT, Input.AGAIN, State.REP_SENT, TIMER);
    caught(CornerCasesTest::lostReps, t.with(State.REP_SENT, Input.REQ, State.REP_SENT));
  }

  private static void data(Lab lab) {
    lab.b.listen(4);
    lab.fate =
        (from, m) -> {
          if (m.kind() == CmKind.RTU) { // later than the data
            lab.deliver(m.mad().copy(), 1, 2, 400 * MS + lab.upTo(100));
          }
          return m.kind() == CmKind.RTU ? 0 : lab.chance();
        };
    disconnects(lab, lab.b);
    lab.a.does =
        (c, event) -> {
          if (event instanceof CmEvent.Established) {
            lab.in(
                lab.upTo(20),
                lab.b,
                () -> lab.b.heard.keySet().forEach(lab.b.station::dataArrived));
          }
        };
    lab.a.connect(lab.b);
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K2: the RTU comes after the data, which stand for it")
  void rtuLate() {
    right(CornerCasesTest::data);
    caught(
        CornerCasesTest::data,
        StateTable.IBA.with(State.ESTABLISHED, Input.RTU, State.ESTABLISHED, UP));
  }

  private static void lostRtus(Lab lab) {
    lab.b.listen(4);
    lose(lab, CmKind.RTU, 1 + lab.random.nextInt(6));
    lab.a.connect(lab.b);
    disconnects(lab, lab.b);
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K3: the RTU is lost, no data come: each REP has an RTU for its answer")
  void rtus() {
    right(CornerCasesTest::lostRtus);
    caught(
        CornerCasesTest::lostRtus,
        StateTable.IBA.with(State.ESTABLISHED, Input.REP, State.ESTABLISHED));
  }

  private static void crossing(Lab lab) {
    lab.b.listen(4);
    Runnable both =
        () -> {
          lab.a.heard.keySet().forEach(lab.a::disconnect);
          lab.b.heard.keySet().forEach(lab.b::disconnect);
        };
    lab.in(5_000 * MS, lab.a, both);
    lab.a.connect(lab.b);
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K4: both sides disconnect at once, and each hears it once")
  void dreqsCross() {
    right(CornerCasesTest::crossing);
    caught(
        CornerCasesTest::crossing,
        StateTable.IBA.with(
            State.TIMEWAIT, Input.DREQ, State.TIMEWAIT, SAY_DREP, END_DISCONNECTED));
    caught(
        CornerCasesTest::crossing,
        StateTable.IBA
            .with(State.DREQ_SENT, Input.DREQ, State.DREQ_SENT)
            .with(State.DREQ_SENT, Input.LAST, State.DREQ_SENT));
  }

  private static void lostDreps(Lab lab) {
    lab.b.listen(4);
    lose(lab, CmKind.DREP, Integer.MAX_VALUE);
    disconnects(lab, lab.a);
    lab.a.connect(lab.b);
    lab.then(
        () -> {
          Heard mine = lab.a.heard.values().iterator().next();
          lab.must(mine.end() == CmEnd.TIMED_OUT, "active: " + mine.events);
          Heard theirs = lab.b.heard.values().iterator().next();
          lab.must(theirs.end() == CmEnd.DISCONNECTED, "passive: " + theirs.events);
          lab.must(lab.a.sent("DREQ") == 16, lab.a.sent("DREQ") + " DREQs");
        });
  }

  @Test
  @DisplayName("K5, RG-19: every DREP is lost: the end says that it was not confirmed")
  void dreps() {
    right(CornerCasesTest::lostDreps);
    caught(
        CornerCasesTest::lostDreps,
        StateTable.IBA.with(State.DREQ_SENT, Input.LAST, State.TIMEWAIT, END_DISCONNECTED, WAIT));
  }

  private static void disorder(Lab lab) {
    lab.b.listen(4);
    switch (lab.random.nextInt(4)) {
      case 0 -> { // a DREQ and no RTU
        lose(lab, CmKind.RTU, Integer.MAX_VALUE);
        lab.a.does =
            (c, event) -> {
              if (event instanceof CmEvent.Established) {
                lab.in(lab.upTo(2), lab.a, () -> lab.a.disconnect(c));
              }
            };
      }
      case 1 -> // a REJ against the RTU
          lab.b.decides =
              c -> {
                lab.b.accept(c, NONE);
                lab.in(lab.upTo(80), lab.b, () -> lab.b.station.close(c));
              };
      case 2 -> // an MRA behind the REP
          lab.b.decides = c -> lab.in(130 * MS + lab.upTo(20), lab.b, () -> lab.b.accept(c, NONE));
      default -> // a REP behind the end
          lab.in(lab.upTo(80), lab.a, () -> lab.a.heard.keySet().forEach(lab.a.station::close));
    }
    lab.a.connect(lab.b);
  }

  @Test
  @DisplayName("K6, CM-43: DREQ before the RTU, REJ against it, MRA after the REP, REP after close")
  void order() {
    right(CornerCasesTest::disorder);
    caught(
        CornerCasesTest::disorder,
        StateTable.IBA.with(State.REP_SENT, Input.DREQ, State.TIMEWAIT, SAY_DREP, WAIT));
    caught(
        CornerCasesTest::disorder,
        StateTable.IBA.with(State.REP_SENT, Input.CLOSE, State.GONE, SAY_REJ, FREE));
  }

  private static void together(Lab lab) {
    lab.a.listen(4);
    lab.b.listen(4);
    disconnects(lab, lab.a);
    lab.a.connect(lab.b);
    lab.b.connect(lab.a);
    whole(lab, 2, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K7, CM-44, CM-45: both connect to one another at once: two connections")
  void bothConnect() {
    right(CornerCasesTest::together);
    caught(
        CornerCasesTest::together,
        StateTable.IBA.with(State.REQ_SENT, Input.REP, State.REQ_SENT, STOP, LEARN, REPLIED));
  }

  private static void pause(Lab lab) {
    lab.b.listen(8);
    long[] at = {lab.upTo(600), lab.upTo(600)};
    for (int i = 0; i < 3; i++) {
      lab.a.connect(lab.b);
    }
    disconnects(lab, lab.a);
    lab.in(at[0], lab.a, () -> lab.a.stand(10_000 * MS));
    lab.in(at[1], lab.b, () -> lab.b.stand(10_000 * MS));
    lab.then(
        () -> {
          for (Heard h : lab.a.heard.values()) { // 16 times 160 ms are shorter than 10 s
            lab.must(h.end() != CmEnd.TIMED_OUT || h.isUp(), "" + h.events);
          }
        });
  }

  @Test
  @DisplayName("K17: both sides stand still for 10 s, at different times: one end each")
  void stands() {
    right(CornerCasesTest::pause);
    caught(CornerCasesTest::pause, StateTable.IBA.with(State.TIMEWAIT, Input.LAST, State.GONE));
  }

  private static void slow(Lab lab) {
    CmTerms usual = CmTerms.DEFAULT; // 4.3 s for an answer
    lab.b.listen(4);
    lab.b.decides = c -> lab.in(30_000 * MS, lab.b, () -> lab.b.accept(c, NONE));
    disconnects(lab, lab.a);
    lab.a.connect(lab.b, usual, CmEndpoint.of(lab.a.queuePair(), 1), NONE);
    lab.then(() -> lab.must(lab.b.sent("MRA") > 0, "no MRA"));
    whole(lab, 1, CmEnd.DISCONNECTED);
  }

  @Test
  @DisplayName("K12: accept takes 30 s: an MRA answers the REQ that comes again, and they connect")
  void slowAccept() {
    right(CornerCasesTest::slow);
    caught(CornerCasesTest::slow, StateTable.IBA.with(State.REQ_RCVD, Input.REQ, State.REQ_RCVD));
  }

  private static void closed(Lab lab) {
    lab.b.listen(4);
    Side closes = lab.percent(50) ? lab.a : lab.b;
    List<Class<? extends CmEvent>> kinds =
        List.of(
            CmEvent.Requested.class,
            CmEvent.Replied.class,
            CmEvent.Established.class,
            CmEvent.Ended.class,
            CmEvent.Released.class);
    Class<? extends CmEvent> at = kinds.get(lab.random.nextInt(kinds.size()));
    boolean inside = lab.percent(50);
    closes.does =
        (c, event) -> {
          if (at.isInstance(event)) { // within the callback's time, or a little later
            lab.in(inside ? 0 : lab.upTo(30), closes, () -> closes.station.close(c));
          }
        };
    lab.a.connect(lab.b);
    lab.a.connect(lab.b);
  }

  @Test
  @DisplayName("K13: a connection is closed in each of its callbacks, and soon after each")
  void closedInCallbacks() {
    right(CornerCasesTest::closed);
    caught(CornerCasesTest::closed, StateTable.IBA.with(State.REP_RCVD, Input.CLOSE, State.GONE));
    caught(
        CornerCasesTest::closed,
        StateTable.IBA.with(State.ESTABLISHED, Input.CLOSE, State.DREQ_SENT, ASK_DREQ, END_CLOSED));
  }

  private static void device(Lab lab) {
    lab.b.listen(8);
    Side goes = lab.percent(50) ? lab.a : lab.b;
    for (int i = 0; i < 3; i++) {
      lab.in(lab.upTo(300), lab.a, () -> lab.a.connect(lab.b));
    }
    lab.in(lab.upTo(900), lab.b, () -> lab.b.heard.keySet().forEach(lab.b::disconnect));
    lab.in(
        300 * MS + lab.upTo(900),
        goes,
        () -> {
          goes.remove();
          lab.must(goes.station.size() == 0, "left: " + goes.station.size());
          lab.must(goes.queuePairs.isEmpty(), "queue pairs: " + goes.queuePairs);
        });
  }

  @Test
  @DisplayName("K14: the device goes in any state of either side, and nothing stays at once")
  void removed() {
    right(CornerCasesTest::device);
    caught(
        CornerCasesTest::device,
        StateTable.IBA.with(State.ESTABLISHED, Input.REMOVE, State.GONE, END_REMOVED));
    caught(
        CornerCasesTest::device,
        StateTable.IBA.with(State.REP_SENT, Input.REMOVE, State.GONE, SAY_REJ, FREE));
  }
}
