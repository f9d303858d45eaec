package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.core.wire.BthOpcode;
import ib.core.wire.Psn;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("the attacks of ReDMArk, over real sockets")
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RedmarkTest {
  private static final int PACKETS = Integer.getInteger("ib.rxe.attack", 30_000);
  private static final int PAIRS = Integer.getInteger("ib.rxe.attacked", 32);
  private static final int REGIONS = 100;
  private static final String HONEST = "127.0.0.1";
  private static final String VICTIM = "127.0.0.2";
  private static final String STRANGER = "127.0.0.3";
  private static final String MARKER = "127.0.0.4";
  private static final byte UNTOUCHED = 0x5a;
  private static final int PSN_FAR = 1 << 18; // a guess that hits by chance is no failure here
  private static final BthOpcode[] REQUESTS =
      Stream.of(BthOpcode.values())
          .filter(o -> o.name().startsWith("RC_"))
          .toArray(BthOpcode[]::new);

  private final RxeLab lab = new RxeLab();
  private final CountDownLatch alarm = new CountDownLatch(1);
  private final SplittableRandom random = new SplittableRandom(11);

  @AfterEach
  void close() {
    lab.close();
  }

  private void plug(Object... ofVictim) {
    List<Object> keys = new ArrayList<>(List.of("address", VICTIM));
    keys.addAll(List.of(ofVictim));
    lab.configure("honest", "address", HONEST);
    lab.configure("victim", keys.toArray());
    var device = lab.lease("victim");
    device.registerEventHandler(
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            if (event.type() == EventType.SOURCE_MUTED) {
              alarm.countDown();
            }
          }
        });
  }

  private long counter(String name) {
    return lab.running.get("victim").ops().counters(1).get(name);
  }

  /**
   * Waits until the victim has looked at all that came before: what is too short is dropped, and
   * its socket gives packets in the order of their coming.
   */
  private void absorbed() throws IOException {
    long before = counter("drop_short");
    try (Forgery marker = new Forgery(MARKER, VICTIM)) {
      while (counter("drop_short") == before) { // a full socket loses it: once more
        marker.send(1);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  private interface Guess {
    int write(Forgery by);
  }

  private void attack(String from, Guess guess) throws IOException {
    try (Forgery forgery = new Forgery(from, VICTIM)) {
      for (int i = 0; i < PACKETS; i++) {
        forgery.send(guess.write(forgery));
      }
    }
    absorbed();
  }

  private BthOpcode any() {
    return REQUESTS[random.nextInt(REQUESTS.length)];
  }

  private int farPsn(int from) {
    return Psn.add(from, PSN_FAR + random.nextInt((1 << 24) - 2 * PSN_FAR));
  }

  @Test
  @DisplayName(
      "A1, A2: packets in the peer's name with guessed numbers: no queue pair in ERR, no byte"
          + " changed, an alarm, and the peer's own traffic goes on")
  void injection() throws Exception {
    plug();
    List<RxeSide> peers = new ArrayList<>();
    List<RxeSide> victims = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      RxeSide a = lab.side("honest");
      RxeSide b = lab.side("victim");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      b.memory().fill(UNTOUCHED);
      peers.add(a);
      victims.add(b);
    }
    RxeSide busy = peers.getFirst();
    RxeSide target = victims.getFirst();
    Flow flow = new Flow(busy, target.mr.rkey(), target.mr.iova());
    flow.start();
    attack(
        HONEST,
        f -> {
          int i = 1 + random.nextInt(PAIRS - 1);
          return f.noise(any(), victims.get(i).qp.qpn(), farPsn(RxeSide.PSN), random);
        });
    assertTrue(counter("psn_violations") > 0, "sequence numbers were guessed");
    attack(
        HONEST, f -> f.noise(any(), 2 + random.nextInt(0xfffffd), random.nextInt(1 << 24), random));
    assertTrue(counter("drop_muted") > 0, "and queue pair numbers, but it was muted by then");
    attack(
        STRANGER,
        f -> {
          int i = 1 + random.nextInt(PAIRS - 1);
          return f.noise(any(), victims.get(i).qp.qpn(), RxeSide.PSN, random);
        });
    assertTrue(counter("drop_source") > 0, "all known, but from elsewhere");
    assertTrue(alarm.await(10, TimeUnit.MINUTES), "an alarm");
    flow.stop();
    String[] end = flow.settle().split(" ");
    assertEquals(end[0], end[1], "every request has completed");
    assertEquals("0", end[2], "wrong bytes");
    assertEquals("SUCCESS", end[4]);
    for (int i = 0; i < PAIRS; i++) {
      assertEquals(QpState.RTS, victims.get(i).qp.state());
      assertEquals(QpState.RTS, peers.get(i).qp.state());
      assertEquals(i == 0, written(victims.get(i).memory()), "memory " + i);
      works(peers.get(i), victims.get(i));
    }
  }

  private static boolean written(MemorySegment memory) {
    return IntStream.range(0, RxeSide.BYTES / 8)
        .anyMatch(i -> memory.getAtIndex(ValueLayout.JAVA_BYTE, i * 8L) != UNTOUCHED);
  }

  private static void works(RxeSide a, RxeSide b) {
    b.receive(1, 0, 64);
    a.send(2, 0, 64);
    a.next(2);
    b.next(1);
  }

  @Test
  @DisplayName(
      "A3: random rkeys over the attacker's own connections: one guess for each queue "
          + "pair, no answer after the ninth, no byte changed, other peers are served")
  void memory() throws Exception {
    plug("guard_violations", 8);
    lab.configure("other", "address", STRANGER);
    RxeSide owner = lab.side("victim");
    List<MemoryRegion> regions = new ArrayList<>();
    for (int i = 0; i < REGIONS; i++) {
      MemoryRegion region = owner.pd.allocMemory(4096, 8, RxeSide.ALL);
      region.segment().fill(UNTOUCHED);
      regions.add(region);
    }
    for (int i = 1; i <= 11; i++) {
      boolean silence = i > 9;
      RxeSide a = lab.side("honest");
      RxeSide b = lab.side("victim");
      if (silence) {
        a.timeout = 12;
        a.retries = 1;
      }
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      for (int guess = 0; guess < 3; guess++) {
        a.post(guess(a, regions.get(i)));
      }
      assertEquals(silence ? WcStatus.RETRY_EXC_ERR : WcStatus.REM_ACCESS_ERR, a.next().status());
      assertEquals(WcStatus.WR_FLUSH_ERR, a.next().status());
      assertEquals(WcStatus.WR_FLUSH_ERR, a.next().status());
      assertEquals(Math.min(i, 9), counter("rkey_violations"), "one for each queue pair");
    }
    assertTrue(alarm.await(10, TimeUnit.MINUTES), "an alarm");
    for (MemoryRegion region : regions) {
      assertEquals(-1, region.segment().mismatch(untouched()));
      region.close();
    }
    RxeSide a = lab.side("other");
    RxeSide b = lab.side("victim");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    works(a, b);
  }

  private static MemorySegment untouched() {
    byte[] bytes = new byte[4096];
    Arrays.fill(bytes, UNTOUCHED);
    return MemorySegment.ofArray(bytes);
  }

  private SendWr guess(RxeSide by, MemoryRegion at) {
    int key = random.nextInt();
    return new SendWr(1)
        .opcode(random.nextBoolean() ? WrOpcode.RDMA_WRITE : WrOpcode.RDMA_READ)
        .flags(SendFlags.SIGNALED)
        .rkey(key == at.rkey() ? ~key : key)
        .remoteAddr(at.iova())
        .addSge(by.mr.lkey(), by.mr.iova(), 64);
  }
}
