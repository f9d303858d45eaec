package ib.cm.internal.machine;

import static ib.cm.internal.machine.Cases.caught;
import static ib.cm.internal.machine.Cases.right;
import static ib.cm.internal.machine.Lab.MS;
import static ib.cm.internal.machine.Lab.NONE;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmTerms;
import ib.cm.internal.machine.Lab.Side;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bursts of connections to one peer, in virtual time. */
class PaceTest {
  private static final int MANY = 10_000;
  private static final int BACKLOG = 1_024;
  private static final Limits NO_PACE =
      new Limits(16_384, 8 * 16_384, 1_024, 200_000, Integer.MAX_VALUE);

  /** No message is lost on the way: what is sent again was refused. */
  private static void burst(Lab lab) {
    lab.fate = (from, m) -> 1;
    lab.b.listen(BACKLOG);
    for (int i = 0; i < MANY; i++) {
      lab.a.connect(lab.b);
    }
    lab.in(
        30_000 * MS,
        lab.a,
        () -> {
          long up = lab.a.heard.values().stream().filter(Lab.Heard::isUp).count();
          lab.must(up == MANY, up + " are up");
          lab.must(lab.a.sent("REQ") == MANY, lab.a.sent("REQ") + " REQs");
          List.copyOf(lab.a.heard.keySet()).forEach(lab.a::disconnect);
        });
    lab.then(() -> lab.must(lab.a.sent("DREQ") == MANY, lab.a.sent("DREQ") + " DREQs"));
    lab.then(
        () ->
            lab.must(
                lab.a.heard.values().stream().allMatch(h -> h.end() == CmEnd.DISCONNECTED),
                "another end"));
  }

  @Test
  @DisplayName(
      "figure F4: 10,000 connects at once to a backlog of 1,024: none is refused and sent again")
  void burst() {
    right(PaceTest::burst, 1);
    caught(PaceTest::burst, NO_PACE);
  }

  private static void slow(Lab lab) {
    int count = 5 * Pace.PLACES;
    lab.fate = (from, m) -> 1;
    lab.b.listen(BACKLOG);
    lab.b.decides = c -> {}; // the program never answers
    for (int i = 0; i < count; i++) {
      lab.a.connect(lab.b);
    }
    lab.in(
        5 * Pace.HOLD_NS,
        lab.a,
        () -> lab.must(lab.b.heard.size() == count, lab.b.heard.size() + " have come"));
    lab.endMs = 1_000;
  }

  @Test
  @DisplayName(
      "figure F4: a program that does not answer holds up other requests to it for 100 ms each")
  void slow() {
    right(PaceTest::slow, 5);
  }

  private static void dead(Lab lab) {
    Side dead = lab.side(3);
    lab.fate = (from, m) -> from == dead ? 0 : 1;
    lab.b.listen(BACKLOG);
    for (int i = 0; i < MANY; i++) {
      lab.a.connect(dead);
    }
    Connection c = lab.a.connect(lab.b);
    lab.in(200 * MS, lab.a, () -> lab.must(lab.a.heard(c).isUp(), "held up"));
    lab.endMs = 1_000;
  }

  @Test
  @DisplayName("figure F4: 10,000 requests to a dead peer hold up none to another one")
  void dead() {
    right(PaceTest::dead, 1);
  }

  private static void unsent(Lab lab) {
    int count = 3 * Pace.PLACES;
    CmTerms deadline = new CmTerms(7, 14, 15, 15, 50);
    lab.fate = (from, m) -> 0;
    for (int i = 0; i < count; i++) {
      lab.a.connect(lab.b, deadline, CmEndpoint.of(lab.a.queuePair(), 1), NONE);
    }
    int from = Pace.PLACES + lab.random.nextInt(2 * Pace.PLACES);
    lab.in(lab.upTo(40), lab.a, () -> close(lab.a, from));
    lab.then(() -> lab.must(lab.a.sent("REQ") <= from, lab.a.sent("REQ") + " REQs, not " + from));
  }

  private static void close(Side of, int from) {
    List<Connection> all = List.copyOf(of.heard.keySet());
    all.subList(from, all.size()).forEach(of.station::close);
  }

  @Test
  @DisplayName(
      "figure F4: a request that waits for its turn ends at its deadline, and when it is closed")
  void unsent() {
    right(PaceTest::unsent, 100);
  }

  private static void lossy(Lab lab) {
    int count = 4 * Pace.PLACES;
    lab.b.listen(BACKLOG);
    for (int i = 0; i < count; i++) {
      lab.in(
          lab.upTo(50),
          lab.a,
          () -> {
            Connection c = lab.a.connect(lab.b);
            if (lab.percent(10)) {
              lab.in(lab.upTo(500), lab.a, () -> lab.a.station.close(c));
            }
          });
    }
    lab.b.does =
        (c, event) -> {
          if (event instanceof CmEvent.Established) {
            lab.in(lab.upTo(1_000), lab.b, () -> lab.b.disconnect(c));
          }
        };
  }

  @Test
  @DisplayName(
      "figure F4: with a fifth of the messages lost no place is lost: each connection ends once")
  void lossy() {
    right(PaceTest::lossy, 20);
  }
}
