package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * IBA 9.7.5.1.2: which requests ask for an acknowledgement, and what an answer that is late does.
 */
class AskingTest {
  private static final long TIMEOUT = 4096L << 14;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final List<String> asked = new ArrayList<>();
  private int loses; // of the requests that ask, so many

  private boolean see(Packet p) {
    boolean asks = p.slid == a.lid() && p.ackRequest;
    if (asks) {
      asked.add(Integer.toHexString(p.psn));
    }
    return p.slid == a.lid() && (!asks || loses-- > 0);
  }

  private void connect(int depth, int timeout) {
    rig.wire.segments(true);
    rig.connect(QpType.RC, depth, timeout, 7, 7);
  }

  private void write(int flags) {
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(flags);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @ParameterizedTest(name = "depth {0}, timeout {1}, flags {2}: {3}")
  @CsvSource({
    "256, 14, 0, 40, '[0, 10, 20]'", // the sixteenth, and each whose number is a multiple of 32
    "16, 14, 0, 12, '[0, 4, 8]'", // a quarter of the queue
    "256, 0, 0, 3, '[fffffe, ffffff, 0]'", // no timer would make it ask later
    "256, 14, 2, 3, '[fffffe, ffffff, 0]'"
  })
  @DisplayName("of requests without a completion some ask, of others each")
  void some(int depth, int timeout, int flags, int requests, String expected) {
    connect(depth, timeout);
    rig.wire.loses(
        p -> {
          see(p);
          return false;
        });
    for (int i = 0; i < requests; i++) {
      write(flags);
    }
    assertEquals(expected, asked.toString());
    assertEquals(0L, rig.a().hca.counters(1).get("completer_retry_err"));
  }

  @Test
  @DisplayName("IBA 9.7.6.1.3: an answer has its whole time from the request on that asks for it")
  void fromTheRequest() {
    connect(256, 14);
    loses = 1;
    rig.wire.loses(this::see);
    write(0);
    clock.advance(TIMEOUT * 9 / 10);
    write(SendFlags.SIGNALED);
    assertEquals(List.of("ffffff"), asked);
    clock.advance(TIMEOUT / 5);
    rig.settle();
    assertEquals(List.of("ffffff"), asked, "not late yet");
    clock.advance(TIMEOUT);
    rig.settle();
    assertEquals("ffffff", asked.getLast());
    assertEquals(1L, a.hca.counters(1).get("completer_retry_err"));
  }

  @Test
  @DisplayName("IBA 9.7.5.1.2: what was not asked for is asked for when its time is over")
  void late() {
    connect(256, 14);
    rig.wire.loses(
        p -> {
          see(p);
          return false;
        });
    write(0);
    assertEquals(List.of(), asked);
    for (int i = 0; i < 3; i++) {
      clock.advance(TIMEOUT);
      rig.settle();
    }
    assertEquals(List.of("fffffe"), asked, "once");
    assertEquals(0L, a.hca.counters(1).get("completer_retry_err"), "nothing was late");
    assertEquals(Long.MAX_VALUE, a.hca.earliestTimerNs(), "and all is done");
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  @DisplayName("B20: a reset stops the timers")
  void reset(boolean notReady) {
    connect(16, 14);
    rig.b().qp.modify(new QpAttr().state(QpState.RTS).minRnrTimer(14));
    rig.wire.loses(p -> !notReady);
    a.qp.wrStart();
    a.qp.wrFlags(SendFlags.SIGNALED);
    a.qp.wrSend();
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
    assertEquals(false, a.hca.earliestTimerNs() == Long.MAX_VALUE, "one runs");
    a.qp.modify(new QpAttr().state(QpState.RESET));
    rig.settle();
    assertEquals(Long.MAX_VALUE, a.hca.earliestTimerNs());
  }
}
