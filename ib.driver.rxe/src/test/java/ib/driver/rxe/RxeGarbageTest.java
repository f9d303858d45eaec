package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("D3, issue 4, section 1: nothing on the data path of a RoCEv2 device allocates")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeGarbageTest {
  private static final int ROUNDS = 10;
  private static final int OPERATIONS = Integer.getInteger("ib.rxe.operations", 20_000);

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource({"native, wire", "portable, wire", "native, memory"})
  @DisplayName(
      "D3 ping-pong over sockets or in memory: less than a byte per message in poster, receivers,"
          + " engine")
  void pingPong(String io, String local) {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", io, "local", local);
      lab.configure("rxe1", "address", "127.0.0.2", "io", io, "local", local);
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      assertEquals(OPERATIONS, run(a, b)); // compiled
      assertEquals(OPERATIONS, run(a, b));
      long[] all =
          Thread.getAllStackTraces().keySet().stream()
              .filter(
                  t ->
                      t.getName().matches("ib-rxe.-(rx|engine)")
                          || t.equals(Thread.currentThread()))
              .mapToLong(Thread::threadId)
              .toArray();
      assertEquals(5, all.length, "two receivers, two engines, the poster");
      // when the compiler has compiled all of it is the compiler's affair; code that allocates
      // does so in each round
      long least = Long.MAX_VALUE;
      for (int round = 0; least >= OPERATIONS && round < ROUNDS; round++) {
        long before = allocated(all);
        int done = run(a, b);
        least = Math.min(least, allocated(all) - before);
        assertEquals(OPERATIONS, done);
      }
      assertTrue(least < OPERATIONS, least + " bytes in " + OPERATIONS);
    }
  }

  private long allocated(long[] ids) {
    long sum = 0;
    for (long id : ids) {
      sum += threads.getThreadAllocatedBytes(id);
    }
    return sum;
  }

  /** Messages there and back; returns how many came back. */
  private static int run(RxeSide a, RxeSide b) {
    int back = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      b.qp.postReceive(i, b.mr.lkey(), b.mr.iova(), 64);
      a.qp.postReceive(i, a.mr.lkey(), a.mr.iova(), 64);
      post(a);
      wait(b);
      post(b);
      wait(a);
      back++;
    }
    return back;
  }

  private static void post(RxeSide from) {
    from.qp.wrStart();
    from.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    from.qp.wrSend();
    from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), 64);
    from.qp.wrComplete();
  }

  /** Waits for the receive; the completion of a send may come before or after it. */
  private static void wait(RxeSide side) {
    boolean received = false;
    while (!received) {
      while (!side.cq.startPoll()) {
        Thread.onSpinWait();
      }
      received = side.cq.opcode() == WcOpcode.RECV;
      side.cq.endPoll();
    }
  }
}
