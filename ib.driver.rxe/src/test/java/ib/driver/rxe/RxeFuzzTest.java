package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.ref.Reference;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("finding")
@DisplayName("issue 4, section 3: random and mutated packets beside verified traffic")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeFuzzTest {
  private static final long PACKETS = Long.getLong("ib.rxe.fuzz", 60_000);
  private static final int SIZE = 8192;
  private static final long HEAP_FLAT = 1 << 20;
  private static final String STRANGER = "127.0.0.3";

  @ParameterizedTest(name = "{0}, guard {1}")
  @CsvSource({"native, 0", "portable, 0", "native, 100"})
  @DisplayName(
      "F2, D9: 0 wrong bytes, the heap flat, the queue pairs live on; the source may be muted, and"
          + " only it")
  void fuzz(String io, int guard) throws Exception {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", io);
      Object[] guarded = {
        "address", "127.0.0.2", "io", io, "guard_violations", guard, "guard_probes", guard
      };
      lab.configure("rxe1", guarded);
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      AtomicLong sent = new AtomicLong();
      AtomicReference<Throwable> failed = new AtomicReference<>();
      Thread attacker =
          Thread.ofPlatform()
              .name("attacker")
              .unstarted(
                  () -> {
                    try {
                      attack(b.qp.qpn(), sent);
                    } catch (IOException | RuntimeException e) {
                      failed.set(e);
                    }
                  });
      SplittableRandom random = new SplittableRandom(4);
      byte[] data = new byte[SIZE];
      for (int i = 0; i < 100; i++) {
        verified(i, a, b, data, random);
      }
      long before = heapInUse();
      attacker.start();
      for (int i = 100; attacker.isAlive() || i < 200; i++) {
        verified(i, a, b, data, random);
      }
      attacker.join();
      long grown = heapInUse() - before;
      assertEquals(null, failed.get());
      assertTrue(grown < HEAP_FLAT, grown + " bytes of heap for " + sent + " packets");
      assertEquals(QpState.RTS, b.qp.state());
      UdpWire wire = lab.running.get("rxe1").wire;
      long refused =
          wire.counter(UdpCounter.DROP_ICRC_ERROR)
              + wire.counter(UdpCounter.DROP_ID_JUMP)
              + wire.counter(UdpCounter.DROP_WRONG_FLAGS);
      assertTrue(sent.get() >= PACKETS, sent + " packets");
      long muted = lab.running.get("rxe1").ops().counters(1).getOrDefault("drop_muted", 0L);
      assertEquals(guard > 0, muted > 0, muted + " packets of a muted source");
      assertTrue(refused > PACKETS / 20, refused + " of them refused for their ICRC");
    }
  }

  @Test
  @DisplayName("the heap check notices retained objects")
  void canary() {
    long before = heapInUse();
    byte[] kept = new byte[2 * (int) HEAP_FLAT];
    assertTrue(heapInUse() - before >= HEAP_FLAT, "not noticed");
    Reference.reachabilityFence(kept);
  }

  /** One message from here to there, every byte compared. */
  private static void verified(
      long id, RxeSide a, RxeSide b, byte[] data, SplittableRandom random) {
    random.nextBytes(data);
    MemorySegment.copy(data, 0, a.memory(), ValueLayout.JAVA_BYTE, 0, SIZE);
    b.receive(id, 0, SIZE);
    a.send(id, 0, SIZE);
    a.next(id);
    b.next(id);
    MemorySegment got = b.memory().asSlice(0, SIZE);
    assertEquals(-1, got.mismatch(MemorySegment.ofArray(data)), "message " + id);
  }

  /** What is reachable. */
  private static long heapInUse() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    memory.gc(); // what the first has found to be finished with
    return memory.getHeapMemoryUsage().getUsed();
  }

  /** A third of noise, a third of good packets with a bit wrong, a third of good forged ones. */
  private static void attack(int qpn, AtomicLong sent) throws IOException {
    SplittableRandom random = new SplittableRandom(9);
    BthOpcode[] all = BthOpcode.values();
    try (Forgery forgery = new Forgery(STRANGER, "127.0.0.2")) {
      for (long i = 0; i < PACKETS; i++) {
        int length;
        if (i % 3 == 0) {
          length = random.nextInt(forgery.bytes.length);
          random.nextBytes(forgery.bytes);
        } else {
          int to = random.nextInt(4) == 0 ? random.nextInt(1 << 24) : qpn;
          BthOpcode opcode = all[random.nextInt(all.length)];
          length = forgery.noise(opcode, to, random.nextInt(1 << 24), random);
          if (i % 3 == 1) {
            forgery.bytes[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
          }
        }
        forgery.send(length);
        sent.getAndIncrement();
      }
    }
  }
}
