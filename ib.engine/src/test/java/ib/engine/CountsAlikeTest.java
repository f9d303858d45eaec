package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture;
import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PortCounter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Batches in which the way changes, or in which a message of several packets is refused: the
 * counters are those of packets, which are counted one by one where a capture sees them, and what
 * else a consumer sees is the same.
 */
class CountsAlikeTest {
  private static final int MTU = 1024; // of the rig
  private static final int BYTES = 1 << 20; // of the rig
  private static final long MS = 1_000_000;

  /** How requests are executed. */
  private enum Way {
    MAKER,
    HELPER,
    PACKETS,
    CAPTURED
  }

  /**
   * A batch, of which only the last request can fail, and the elements of the receive for it: their
   * lengths, less than 0 where the key is wrong, more than a region has where the region ends.
   */
  private enum Batch {
    ATOMIC_LAST(WcStatus.SUCCESS, "WWA"),
    ATOMIC_BETWEEN(WcStatus.SUCCESS, "WWAWW"),
    ATOMIC_BEHIND_ONE(WcStatus.SUCCESS, "WA"),
    ATOMICS(WcStatus.SUCCESS, "WAWWAA"),
    READS(WcStatus.SUCCESS, "WWRWRWA"),
    LOCAL_BETWEEN(WcStatus.SUCCESS, "WWLWW"),
    LOCAL_LAST(WcStatus.SUCCESS, "WWL"),
    LOCAL_AFTER_READ(WcStatus.SUCCESS, "RL"),
    LOCAL_FIRST(WcStatus.SUCCESS, "LWW"),
    INVALIDATED_BETWEEN(WcStatus.SUCCESS, "LWWIWW"),
    EMPTY_WITHOUT_KEY(WcStatus.SUCCESS, "WWEWFW"),
    SCATTERED(WcStatus.SUCCESS, "WWS", 4, 4 * MTU),
    NO_RECEIVE_YET(WcStatus.SUCCESS, "WWN"),
    NO_RECEIVE_YET_FOR_WRITE(WcStatus.SUCCESS, "WWJ"),
    NO_RIGHT(WcStatus.REM_ACCESS_ERR, "WWX"),
    NO_RIGHT_TO_READ(WcStatus.REM_ACCESS_ERR, "WWQ"),
    NO_RIGHT_LONG(WcStatus.REM_ACCESS_ERR, "WWY"),
    NO_RECEIVE_YET_LONG(WcStatus.SUCCESS, "WWM"),
    TOO_LONG(WcStatus.REM_INV_REQ_ERR, "WWT", MTU + MTU / 2),
    TOO_LONG_FOR_TWO(WcStatus.REM_INV_REQ_ERR, "WWT", MTU, MTU),
    BAD_ELEMENT(WcStatus.REM_OP_ERR, "WWT", -4 * MTU),
    BAD_SECOND(WcStatus.REM_OP_ERR, "WWT", MTU + MTU / 2, -4 * MTU),
    BAD_SECOND_AT_BORDER(WcStatus.REM_OP_ERR, "WWT", 2 * MTU, -4 * MTU),
    BAD_SECOND_AT_LAST(WcStatus.REM_OP_ERR, "WWT", 3 * MTU, -1),
    BAD_SECOND_AT_ONCE(WcStatus.REM_OP_ERR, "T", MTU / 2, -4 * MTU),
    BAD_SECOND_SHORT(WcStatus.REM_OP_ERR, "WWS", 64, -4 * MTU),
    BAD_SECOND_UNUSED(WcStatus.SUCCESS, "WWTW", 4 * MTU, -MTU),
    BAD_THIRD(WcStatus.REM_OP_ERR, "WWT", MTU / 2, 2 * MTU, -4 * MTU),
    BAD_AND_TOO_LONG(WcStatus.REM_OP_ERR, "WWT", MTU + MTU / 2, -MTU),
    TOO_LONG_BEFORE_BAD(WcStatus.REM_INV_REQ_ERR, "WWT", 2 * MTU, -10),
    PAST_ITS_REGION(WcStatus.REM_OP_ERR, "WWT", MTU, BYTES),
    NO_MEMORY(WcStatus.LOC_PROT_ERR, "WWZ"),
    NO_MEMORY_AT_ONCE(WcStatus.LOC_PROT_ERR, "Z");

    final WcStatus status;
    final String requests;
    final int[] elements;

    /** Whether something waits for requests that do not ask for their acknowledgement. */
    final boolean asksLate;

    Batch(WcStatus status, String requests, int... elements) {
      this.status = status;
      this.requests = requests;
      this.elements = elements;
      this.asksLate = requests.matches(".*W[LIZ].*");
    }
  }

  /** What is seen of a run: counters that are not 0, completions, events and memory. */
  private record Outcome(Map<String, Long> counters, List<String> seen) {}

  @ParameterizedTest
  @EnumSource
  @DisplayName("D5, D11: a batch is counted alike by each way, also where the way changes in it")
  void alike(Batch batch) {
    Outcome expected = outcome(batch, Way.PACKETS, true);
    long packets = batch.requests.replaceAll("[LIZ]", "").length();
    assertTrue(expected.counters.getOrDefault("2 rcvd_pkts", 0L) >= packets);
    for (Way way : Way.values()) {
      assertEquals(expected, outcome(batch, way, true), way + "");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "D5, D11: the same with unsignaled requests; where a wire segments, what waits for one of"
          + " these asks late for its acknowledgement, with one packet more")
  void unsignaled(Batch batch) {
    Outcome expected = outcome(batch, Way.PACKETS, false);
    assertEquals(expected, outcome(batch, Way.MAKER, false));
    assertEquals(expected, outcome(batch, Way.HELPER, false));
    Outcome captured = outcome(batch, Way.CAPTURED, false);
    assertEquals(expected.seen, captured.seen);
    if (batch.asksLate) {
      assertTrue(captured.counters.get("2 duplicate_request") > 0, "asked late: " + captured);
    } else {
      assertEquals(expected.counters, captured.counters);
    }
  }

  private static Outcome outcome(Batch batch, Way way, boolean all) {
    VirtualClock clock = new VirtualClock();
    HcaConfig[] both = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
    List<PacketCapture.Session> sessions = new ArrayList<>();
    try (Rig rig = new Rig(clock, false, both).connect(QpType.RC)) {
      if (way == Way.PACKETS) {
        rig.wire.loses(p -> false);
      } else if (way == Way.CAPTURED) {
        for (Rig.Side s : rig.sides) {
          sessions.add(s.capture.start(new CaptureFile().sink(), PacketCapture.Filter.ALL));
        }
      }
      fill(rig.a().mr.segment());
      List<String> seen;
      try {
        seen = run(rig, clock, batch, way, all);
      } finally {
        sessions.forEach(PacketCapture.Session::close);
      }
      Map<String, Long> counters = new TreeMap<>();
      for (Rig.Side s : rig.sides) {
        s.hca.counters(1).forEach((name, n) -> put(counters, s.lid() + " " + name, n));
        s.hca
            .portCounters(1, PortCounter.Form.EXTENDED)
            .forEach((name, n) -> put(counters, s.lid() + " " + name, n));
        s.device.events().forEach(e -> seen.add(s.lid() + " " + e.type()));
        seen.add(s.lid() + " " + s.qp.state() + " " + s.unaffiliated + " " + sum(s.mr.segment()));
      }
      return new Outcome(counters, seen);
    }
  }

  private static void fill(MemorySegment memory) {
    for (int i = 0; i < 8 * MTU; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i % 251 + 1));
    }
  }

  private static long sum(MemorySegment memory) {
    CRC32 sum = new CRC32();
    sum.update(memory.asByteBuffer());
    return sum.getValue();
  }

  private static void put(Map<String, Long> counters, String name, long n) {
    if (n != 0) {
      counters.put(name, n);
    }
  }

  private static List<String> run(Rig rig, VirtualClock clock, Batch batch, Way way, boolean all) {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    if (batch.elements.length > 0) {
      b.qp.postReceive(receive(b.mr, batch.elements));
    }
    MemoryRegion mr = a.pd.allocFastRegistration(1);
    mr.map(a.mr.segment());
    if (way == Way.HELPER) {
      Probe.hold(a.qp);
    }
    a.qp.wrStart();
    for (int i = 0; i < batch.requests.length(); i++) {
      boolean last = i == batch.requests.length() - 1;
      a.qp.wrId(i).wrFlags(all || last ? SendFlags.SIGNALED : 0);
      request(rig, mr, batch.requests.charAt(i));
    }
    assertEquals(0, a.qp.wrComplete());
    if (way == Way.HELPER) {
      Probe.letGo(a.qp);
    }
    rig.settle();
    if (batch.name().startsWith("NO_RECEIVE_YET")) {
      Rig.assertEmpty(b.recvCq);
      b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 4 * MTU);
    }
    List<String> seen = new ArrayList<>();
    WorkCompletion[] wc = {new WorkCompletion()};
    int expected = all ? batch.requests.length() : 1;
    for (int i = 0; i < 100 && expected > 0; i++) {
      while (a.sendCq.poll(wc, 1) > 0) {
        seen.add("send " + wc[0]);
        expected--;
      }
      clock.advance(MS);
      rig.settle();
    }
    assertEquals(0, expected, way + ": completions");
    assertEquals(batch.status, wc[0].status(), way + "");
    assertEquals(batch.requests.length() - 1, wc[0].wrId());
    while (b.recvCq.poll(wc, 1) > 0) {
      seen.add("receive " + wc[0]);
    }
    return seen;
  }

  private static RecvWr receive(MemoryRegion mr, int[] elements) {
    RecvWr wr = new RecvWr(elements.length);
    for (int i = 0; i < elements.length; i++) {
      int length = elements[i];
      long address = mr.iova() + 8L * MTU * i;
      if (length == BYTES) {
        address = mr.iova() + BYTES - MTU - MTU / 2;
      }
      wr.addSge(length < 0 ? mr.lkey() ^ 1 : mr.lkey(), address, Math.abs(length));
    }
    return wr;
  }

  private static void request(Rig rig, MemoryRegion mr, char kind) {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    QueuePair qp = a.qp;
    int rkey = b.mr.rkey();
    long remote = b.mr.iova() + (64 << 10);
    int length = 100;
    int lkey = a.mr.lkey();
    switch (kind) {
      case 'A' -> {
        qp.wrAtomicFetchAdd(rkey, remote, 1);
        length = 8;
      }
      case 'L' -> {
        qp.wrRegMr(mr, mr.rkey(), Access.LOCAL_WRITE);
        return;
      }
      case 'I' -> {
        qp.wrLocalInv(mr.rkey());
        return;
      }
      case 'R' -> qp.wrRdmaRead(rkey, remote);
      case 'S', 'N' -> qp.wrSend();
      case 'J' -> qp.wrRdmaWriteImm(rkey, remote, 77);
      case 'M', 'T' -> {
        qp.wrSend();
        length = 3 * MTU + 1;
      }
      case 'E', 'F' -> { // the key of no bytes is not looked at (IBA 9.7.4)
        if (kind == 'E') {
          qp.wrRdmaWrite(rkey ^ 1, remote);
        } else {
          qp.wrRdmaRead(rkey ^ 1, remote);
        }
        length = 0;
      }
      case 'Q' -> qp.wrRdmaRead(rkey ^ 1, remote);
      case 'X' -> qp.wrRdmaWrite(rkey ^ 1, remote);
      case 'Y' -> {
        qp.wrRdmaWrite(rkey ^ 1, remote);
        length = 3 * MTU + 1;
      }
      case 'Z' -> {
        qp.wrRdmaWrite(rkey, remote);
        lkey ^= 1;
      }
      default -> qp.wrRdmaWrite(rkey, remote);
    }
    qp.wrSetSge(lkey, a.mr.iova(), length);
  }
}
