package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 3: a peer that is killed, restarted or stopped under traffic")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PeerLostTest {
  private static final int KILLS = Integer.getInteger("ib.rxe.kills", 2);
  private static final int TIMEOUT =
      18; // 4.096 us * 2^18 = 1.07 s: three tries are over within the 5 s
  private static final int RETRIES = 2;
  private static final int SHORT = 15; // 0.13 s, where no answer is expected
  private static final int PATIENT = 19; // 2.1 s
  private static final long STOPPED_NS = TimeUnit.SECONDS.toNanos(5);
  private static final int UNTOUCHED = 31;

  private final Station local = new Station();
  private RemoteStation remote;

  @AfterEach
  void end() {
    if (remote != null) {
      remote.close();
    }
    local.close();
  }

  private void start(String io) throws IOException {
    remote = new RemoteStation(List.of());
    remote.tell("plug", "address=127.0.0.2", "io=" + io);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"native", "portable"})
  @DisplayName(
      "F31: killed under traffic, every request completes when the retries are used up, once; started"
          + " again, it refuses the queue pairs of its former life, and new ones work")
  void killed(String io) throws Exception {
    local.tell("plug", "address=127.0.0.1", "io=" + io);
    start(io);
    for (int i = 0; i < KILLS; i++) {
      PartyEnd a = new PartyEnd(local, "a", QpType.RC);
      PartyEnd b = new PartyEnd(remote, "b", QpType.RC);
      PartyEnd.connect(a, b, TIMEOUT, RETRIES, 7);
      PartyFlow flow = PartyFlow.start(a, b);
      flow.reaches(20 + i);
      remote.kill();
      flow.fails();
      assertEquals("ERR", a.state());
      a.close();
      start(io);
      formerLife(b);
    }
  }

  /** Somebody goes on talking to a queue pair that died with its process. */
  private void formerLife(PartyEnd dead) {
    PartyEnd now = new PartyEnd(remote, "now", QpType.RC);
    assertNotEquals(dead.qpn, now.qpn, "D9: numbers are not used again");
    now.fill(0, RxeSide.BYTES, UNTOUCHED);
    PartyEnd late = new PartyEnd(local, "late", QpType.RC);
    late.up(dead.gid, dead.qpn, SHORT, RETRIES, 7);
    now.up(late.gid, late.qpn, TIMEOUT, RETRIES, 7); // waits for packets from there
    now.receive(1, 0, 4096);
    long before = remote.counter("drop_no_qp");
    late.post(WrOpcode.RDMA_WRITE, 1, 0, 5000, dead.rkey, dead.address, 0);
    late.post(WrOpcode.SEND, 2, 0, 64, dead.rkey, dead.address, 0);
    late.next(1, WcStatus.RETRY_EXC_ERR);
    late.next(2, WcStatus.WR_FLUSH_ERR);
    assertTrue(remote.counter("drop_no_qp") - before >= RETRIES + 1, "each try was counted");
    assertEquals(0, now.completions(), "nothing delivered");
    now.same("memory after it", 0, RxeSide.BYTES, UNTOUCHED);
    late.close();
    now.close();
    PartyEnd a = new PartyEnd(local, "a", QpType.RC);
    PartyEnd b = new PartyEnd(remote, "b", QpType.RC);
    PartyEnd.connect(a, b);
    PartyFlow again = PartyFlow.start(a, b);
    again.reaches(10);
    again.ends();
    a.close();
    b.close();
  }

  @Test
  @DisplayName("F31: a peer that comes back within the retries does not take up what it forgot")
  void restartedMeanwhile() throws Exception {
    local.tell("plug", "address=127.0.0.1");
    start("native");
    PartyEnd a = new PartyEnd(local, "a", QpType.RC);
    PartyEnd b = new PartyEnd(remote, "b", QpType.RC);
    PartyEnd.connect(a, b, PATIENT - 1, 7, 7); // 8.6 s
    PartyFlow flow = PartyFlow.start(a, b);
    flow.reaches(20);
    RemoteStation next = new RemoteStation(List.of()); // a JVM takes long to start
    next.tell("log");
    remote.kill();
    remote = next;
    remote.tell("plug", "address=127.0.0.2");
    PartyEnd now = new PartyEnd(remote, "b", QpType.RC);
    now.fill(0, RxeSide.BYTES, UNTOUCHED);
    now.up(a.gid, a.qpn, TIMEOUT, RETRIES, 7);
    flow.fails();
    assertTrue(remote.counter("drop_no_qp") > 0, "it came while the requester was still trying");
    assertEquals(0, now.completions());
    now.same("memory after it", 0, RxeSide.BYTES, UNTOUCHED);
  }

  @Test
  @DisplayName(
      "F32: stopped for 5 s, requests of both sides complete: with success where the retries last"
          + " longer, with an error where not; afterwards all works")
  void stopped() throws Exception {
    local.tell("plug", "address=127.0.0.1");
    start("native");
    PartyEnd[] patient = pair("patient", PATIENT, 7);
    PartyEnd[] hasty = pair("hasty", TIMEOUT, RETRIES);
    PartyFlow lasts = PartyFlow.start(patient[0], patient[1]);
    PartyFlow back = PartyFlow.start(patient[1], patient[0]);
    PartyFlow fails = PartyFlow.start(hasty[0], hasty[1]);
    lasts.reaches(10);
    back.reaches(10);
    fails.reaches(10);
    remote.signal("STOP");
    long stopped = System.nanoTime();
    fails.fails();
    while (System.nanoTime() - stopped < STOPPED_NS) {
      LockSupport.parkNanos(STOPPED_NS / 100);
    }
    remote.signal("CONT");
    lasts.reaches(10);
    back.reaches(10);
    lasts.ends();
    back.ends();
    PartyEnd[] later = pair("later", TIMEOUT, 7);
    PartyFlow again = PartyFlow.start(later[1], later[0]);
    again.reaches(10);
    again.ends();
    assertEquals("ACTIVE", remote.tell("port"));
  }

  private PartyEnd[] pair(String name, int timeout, int retries) {
    PartyEnd a = new PartyEnd(local, name, QpType.RC);
    PartyEnd b = new PartyEnd(remote, name, QpType.RC);
    PartyEnd.connect(a, b, timeout, retries, 7);
    return new PartyEnd[] {a, b};
  }
}
