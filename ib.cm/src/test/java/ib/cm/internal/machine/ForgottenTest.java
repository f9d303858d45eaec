package ib.cm.internal.machine;

import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;
import static ib.cm.internal.machine.Lab.TERMS;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.internal.machine.Lab.Side;
import ib.core.mad.cm.CmKind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A device is removed and comes back: it has forgotten its connections, and draws a number of a
 * queue pair that one of them had. The other side has disconnected, and its DREQs are lost.
 */
class ForgottenTest {
  private static final int QPN = 0xabc;
  private static final long UP_NS = 200 * MS; // three messages of at most 50 ms, and 40 ms thought

  private static void accepts(Side side) {
    side.listen(4);
    side.decides =
        c -> {
          side.heard(c).qpn = side.queuePair(QPN);
          side.station.accept(c, CmEndpoint.of(QPN, 1), NONE);
        };
  }

  private static Connection connect(Side from, Side to) {
    return from.connect(to, TERMS, CmEndpoint.of(from.queuePair(QPN), 1), NONE);
  }

  /**
   * A side connects, the device of one goes and comes back, and a side connects again.
   *
   * @param back whose device goes
   * @param stays the other side
   */
  private static void again(Lab lab, Side back, Side stays, Runnable connects, Runnable listens) {
    boolean[] lost = {false};
    lab.fate = (from, m) -> lost[0] && m.kind() == CmKind.DREQ ? 0 : 1;
    listens.run();
    connects.run();
    lab.in(
        500 * MS,
        back,
        () -> {
          lost[0] = true;
          back.restart();
          listens.run();
          stays.heard.keySet().forEach(stays::disconnect);
        });
    lab.in(600 * MS, stays, connects);
    lab.in(
        600 * MS + UP_NS,
        stays,
        () -> {
          Connection last = lab.a.heard.keySet().stream().reduce((x, y) -> y).orElseThrow();
          lab.must(lab.a.heard(last).isUp(), "" + lab.a.heard(last).events);
          lab.must(lab.a.sent("REQ") == 2, lab.a.sent("REQ") + " REQs");
          lab.must(lab.a.sent("REJ 10") + lab.b.sent("REJ 10") == 0, "a REJ 10");
          lost[0] = false;
        });
    lab.then(
        () -> {
          CmEnd end = stays.heard.values().iterator().next().end();
          lab.must(end == CmEnd.DISCONNECTED, "the old one ends as " + end);
        });
  }

  private static void passive(Lab lab) {
    Runnable listens =
        () -> {
          if (lab.b.station.size() == 0) {
            accepts(lab.b);
          }
        };
    again(lab, lab.b, lab.a, () -> lab.a.connect(lab.b), listens);
  }

  @Test
  @DisplayName("F4, CM-40: a REP may name the queue pair of a connection that we have disconnected")
  void reply() {
    right(ForgottenTest::passive);
  }

  private static void active(Lab lab) {
    Runnable listens =
        () -> {
          if (lab.b.listener == null) {
            lab.b.listen(4);
          }
        };
    again(lab, lab.a, lab.b, () -> connect(lab.a, lab.b), listens);
  }

  @Test
  @DisplayName("F4, CM-40: a REQ may name the queue pair of a connection that we have disconnected")
  void request() {
    right(ForgottenTest::active);
  }

  @Test
  @DisplayName("F4: the cases find a DREQ that is not repeated")
  void notRepeated() {
    StateTable once = StateTable.IBA.with(State.DREQ_SENT, Input.AGAIN, State.DREQ_SENT, Act.TIMER);
    caught(ForgottenTest::passive, once);
    caught(ForgottenTest::active, once);
  }
}
