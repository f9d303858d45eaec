package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@code ib_write_lat}: an end polls for its own completion, then its memory. */
@DisplayName("issue 13, point 4: a thread that polls its memory")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MemoryPollTest {
  private static final int TRIPS = 600;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final long HERE = 64;

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void end() {
    lab.close();
  }

  /** Writes a number into the peer's memory, and takes the completion. */
  private static void write(RxeSide mine, RxeSide peer, long value) {
    LONG.set(mine.memory(), 0L, value);
    mine.qp.wrStart();
    mine.qp.wrId(value).wrFlags(SendFlags.SIGNALED);
    mine.qp.wrRdmaWrite(peer.mr.rkey(), peer.mr.iova() + HERE);
    mine.qp.wrSetSge(mine.mr.lkey(), mine.mr.iova(), Long.BYTES);
    assertEquals(0, mine.qp.wrComplete());
    mine.next(value);
  }

  /** Waits for a number in the memory, as a program does that polls no completion queue then. */
  private static void await(RxeSide mine, long value) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while ((long) LONG.getAcquire(mine.memory(), HERE) != value) {
      assertTrue(System.nanoTime() < end, "the peer's number does not come");
      Thread.onSpinWait();
    }
  }

  private long late(String device) {
    return lab.running.get(device).ops().counters(1).get("rx_late");
  }

  @Test
  @DisplayName("the device's thread takes over once it has seen that datagrams wait, not each time")
  void takesOver() throws Exception {
    lab.configure("rxe0", "address", "127.0.97.1").configure("rxe1", "address", "127.0.97.2");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
    Thread peer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 1; i <= TRIPS; i++) {
                    await(b, i);
                    write(b, a, i);
                  }
                });
    for (int i = 1; i <= TRIPS; i++) {
      write(a, b, i);
      await(a, i);
    }
    peer.join();
    long late = late("rxe0") + late("rxe1");
    // each device may be late once in 256 ms; without doubt both are, in nearly each trip
    assertTrue(late < TRIPS, late + " times were datagrams late");
  }
}
