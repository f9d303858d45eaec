package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.engine.link.GuardLimits;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("F-9, F-10, V7, A1: sources that guess are counted, muted and reported")
class GuardTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int PSN = 0xfffffe;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig =
      new Rig(
          clock,
          false,
          HcaConfig.of(0x10, 0x11),
          HcaConfig.of(0x20, 0x21),
          HcaConfig.of(0x30, 0x31));
  private final Rig.Side victim = rig.b();
  private final Rig.Side stranger = rig.sides.get(2);
  private Forge attacker;

  @BeforeEach
  void guarded() {
    victim.hca.port(1).guard(GuardLimits.STRICT);
    victim.unaffiliated.clear();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** The value that an attacker guesses. */
  private enum Guess {
    RKEY("rkey_violations", p -> p.rkey ^= 0x1234567),
    PSN("psn_violations", p -> p.psn = p.psn + 0x700000 & 0xffffff),
    SOURCE("drop_source", p -> p.slid = 3),
    PKEY("drop_pkey", p -> p.pkey = 0x8123),
    QKEY("drop_qkey", p -> p.qkey = 5);

    final String counter;
    final Consumer<Packet> how;

    Guess(String counter, Consumer<Packet> how) {
      this.counter = counter;
      this.how = how;
    }
  }

  private void fresh(QpType type) {
    if (victim.qp != null) {
      victim.qp.close();
    }
    victim.qp = victim.pd.createQp(Rig.init(victim, type, 16));
    Rig.toRtr(victim.qp, 0x123456, rig.a().lid(), Mtu.MTU_1024);
    attacker = new Forge(rig, victim, rig.a());
  }

  private void guess(Guess what) {
    boolean datagram = what == Guess.QKEY;
    if (victim.qp == null || victim.qp.state() != QpState.RTR) {
      fresh(datagram ? QpType.UD : QpType.RC);
    }
    BthOpcode op = datagram ? BthOpcode.UD_SEND_ONLY : BthOpcode.RC_RDMA_WRITE_ONLY;
    Packet p = attacker.packet(op, PSN, 8);
    p.qkey = Rig.QKEY;
    what.how.accept(p);
    attacker.arrive(p);
  }

  private long counter(String name) {
    return victim.hca.counters(1).get(name);
  }

  private boolean alarmed() {
    return victim.unaffiliated.contains(EventType.SOURCE_MUTED);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("F-9: the ninth violation in 10 s mutes its source, with one event")
  void ninth(Guess what) {
    for (int i = 1; i <= 8; i++) {
      guess(what);
      assertEquals(i, counter(what.counter));
    }
    assertFalse(alarmed());
    guess(what);
    assertTrue(alarmed());
    assertEquals(1, counter("sources_muted"));
    long before = counter(what.counter);
    for (int i = 0; i < 100; i++) {
      guess(what);
    }
    assertEquals(before, counter(what.counter), "not even looked at");
    assertEquals(100, counter("drop_muted"));
    assertEquals(1, victim.unaffiliated.stream().filter(e -> e == EventType.SOURCE_MUTED).count());
  }

  @Test
  @DisplayName(
      "F-9: muted for 60 s, then heard again, with a new budget; others are heard meanwhile")
  void until() {
    for (int i = 0; i < 9; i++) {
      guess(Guess.RKEY);
    }
    fresh(QpType.RC);
    attacker.arrive(attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(0, attacker.answers.size(), "what is right is not heard either");
    assertTrue(victim.hca.port(1).mutes(0, rig.a().lid()), "a query says that the source is muted");
    assertFalse(victim.hca.port(1).mutes(0, stranger.lid()));
    victim.qp.close();
    victim.qp = victim.pd.createQp(Rig.init(victim, QpType.RC, 16));
    Rig.toRtr(victim.qp, 0x123456, stranger.lid(), Mtu.MTU_1024);
    Forge other = new Forge(rig, victim, stranger);
    other.arrive(other.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(1, other.answers.size(), "another source is heard");
    clock.advance(60 * SECOND);
    fresh(QpType.RC);
    attacker.arrive(attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(1, attacker.answers.size(), "its time is over");
    for (int i = 0; i < 8; i++) {
      guess(Guess.RKEY);
    }
    assertEquals(1, counter("sources_muted"));
  }

  @ParameterizedTest
  @EnumSource(
      value = Guess.class,
      names = {"PSN", "PKEY"})
  @DisplayName("A2: who guesses in the name of a peer does not silence the peer's connection")
  void inItsName(Guess what) {
    fresh(QpType.RC);
    for (int i = 0; i < 9; i++) {
      guess(what);
    }
    assertTrue(alarmed());
    int answers = attacker.answers.size();
    attacker.arrive(attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(answers + 1, attacker.answers.size(), "the peer itself is heard");
    long before = counter(what.counter);
    guess(what);
    assertEquals(before, counter(what.counter), "a guess is not");
    for (int i = 0; i < 9; i++) {
      fresh(QpType.RC);
      guess(Guess.RKEY);
    }
    assertEquals(2, counter("sources_muted"), "only the peer guesses keys");
    fresh(QpType.RC);
    attacker.arrive(attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    assertEquals(0, attacker.answers.size(), "so nothing of it is heard");
  }

  @Test
  @DisplayName("A2: datagrams with the right Q_Key are heard although guesses came in their name")
  void datagramsInItsName() {
    fresh(QpType.UD);
    for (int i = 0; i < 9; i++) {
      guess(Guess.QKEY);
    }
    assertTrue(alarmed());
    long before = counter("drop_no_receive");
    Packet p = attacker.packet(BthOpcode.UD_SEND_ONLY, PSN, 8);
    p.qkey = Rig.QKEY;
    attacker.arrive(p);
    assertEquals(before + 1, counter("drop_no_receive"), "it came as far as to find no receive");
    guess(Guess.QKEY);
    assertEquals(1, counter("drop_muted"));
  }

  @Test
  @DisplayName("mistakes that come one by one, less than 9 in 10 s, mute no source")
  void slowly() {
    for (int i = 0; i < 100; i++) {
      guess(Guess.RKEY);
      clock.advance(3 * SECOND / 2);
    }
    assertFalse(alarmed());
    assertEquals(100, counter("rkey_violations"));
  }

  @Test
  @DisplayName("F-10: more than 1,000 packets a second to queue pairs that are not there: muted")
  void scan() {
    fresh(QpType.RC);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 1; i <= 3000; i++) {
      Packet p = attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8);
      do {
        p.destQpn = 16 + random.nextInt(0xfffff0 - 16);
      } while (p.destQpn == victim.qp.qpn());
      attacker.arrive(p);
      assertEquals(i > 1000, alarmed());
    }
    assertEquals(1001, counter("drop_no_qp"));
    assertEquals(1999, counter("drop_muted"));
    assertEquals(0, attacker.answers.size(), "no answer to any of them");
  }

  @Test
  @DisplayName("retransmissions to a queue pair that has gone are no scan")
  void gone() {
    fresh(QpType.RC);
    int qpn = victim.qp.qpn();
    victim.qp.close();
    for (int i = 0; i < 5000; i++) {
      Packet p = attacker.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8);
      p.destQpn = qpn;
      attacker.arrive(p);
      clock.advance(SECOND / 500);
    }
    assertFalse(alarmed());
  }

  @Test
  @DisplayName("off by default: violations are counted, no source is muted")
  void off() {
    victim.hca.port(1).guard(GuardLimits.OFF);
    for (int i = 0; i < 100; i++) {
      guess(Guess.QKEY);
    }
    assertEquals(100, counter("drop_qkey"));
    assertFalse(alarmed());
  }

  @Test
  @DisplayName(
      "A1: 20,000 sources at once: the table forgets the oldest and stays right for the newest")
  void manySources() {
    fresh(QpType.UD);
    for (int source = 1; source <= 20_000; source++) {
      for (int i = 0; i < 9; i++) {
        Packet p = attacker.packet(BthOpcode.UD_SEND_ONLY, PSN, 8);
        p.qkey = 5;
        p.slid = source;
        attacker.arrive(p);
      }
      assertTrue(victim.hca.port(1).mutes(0, source), "the newest is muted: " + source);
    }
    assertEquals(20_000, counter("sources_muted"));
    assertEquals(180_000, counter("drop_qkey"));
  }
}
