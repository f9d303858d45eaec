package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbDevice;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An idle device wakes no thread up")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IdleTest {
  private static final String DEVICE = "idle7";
  private static final long SETTLE_MS = 1500; // the watch looks once, a second after its start
  private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long WATCHED_MS = 4000;
  private static final int WINDOWS = 3;

  @Test
  @DisplayName("issue 13, point 4: in four seconds none of the device's threads wakes up")
  void idle() throws Exception {
    try (RxeLab lab = new RxeLab()) {
      lab.configure(DEVICE, "address", "127.0.0.1");
      IbDevice device = lab.lease(DEVICE);
      pass(SETTLE_MS);
      Map<String, Long> before = Switches.count();
      pass(WATCHED_MS);
      Map<String, Long> after = Switches.count();
      for (int i = 1; i < WINDOWS && !before.equals(after); i++) { // a busy machine settles later
        before = after;
        pass(WATCHED_MS);
        after = Switches.count();
      }
      assertEquals(before, after, device.name());
    }
  }

  @Test
  @DisplayName("what comes after a rest ends it: one refused datagram is reported")
  void ends() throws Exception {
    try (RxeLab lab = new RxeLab();
        DatagramChannel stranger = DatagramChannel.open()) {
      lab.configure(DEVICE, "address", "127.0.0.1");
      pass(SETTLE_MS);
      stranger.bind(new InetSocketAddress("127.0.0.3", 0));
      stranger.send(ByteBuffer.allocate(3), new InetSocketAddress("127.0.0.1", 4791));
      long start = System.nanoTime();
      while (lab.warnings.stream().noneMatch(w -> w.contains("127.0.0.3"))) {
        assertTrue(System.nanoTime() - start < PATIENCE_NS, "the watch still rests");
        Thread.onSpinWait();
      }
    }
  }

  private static void pass(long ms) throws InterruptedException {
    new CountDownLatch(1).await(ms, TimeUnit.MILLISECONDS);
  }
}
