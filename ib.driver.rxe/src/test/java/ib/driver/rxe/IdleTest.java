package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An idle device wakes no thread up")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IdleTest {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String DEVICE = "idle7";
  private static final long SETTLE_MS = 1500; // the watch looks once, a second after its start
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long WATCHED_MS = 4000;

  @Test
  @DisplayName("issue 13, point 4: in four seconds none of the device's threads wakes up")
  void idle() throws Exception {
    Assumptions.assumeTrue(Files.isDirectory(TASKS), "counts by /proc");
    try (RxeLab lab = new RxeLab()) {
      lab.configure(DEVICE, "address", "127.0.0.1");
      IbDevice device = lab.lease(DEVICE);
      pass(SETTLE_MS);
      Map<String, Long> before = switches();
      pass(WATCHED_MS);
      Map<String, Long> after = switches();
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

  /** {@return how often each thread of the device went to sleep, by the thread's name} */
  private static Map<String, Long> switches() throws IOException {
    Map<String, Long> found = new TreeMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(TASKS)) {
      for (Path task : all) {
        String name = Files.readString(task.resolve("comm")).strip();
        if (name.startsWith("ib-")) {
          found.put(name + " " + task.getFileName(), voluntary(task));
        }
      }
    }
    return found;
  }

  private static long voluntary(Path task) throws IOException {
    for (String line : Files.readAllLines(task.resolve("status"))) {
      if (line.startsWith("voluntary_ctxt_switches:")) {
        return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    throw new NoSuchFileException(task.toString(), null, "no count of switches");
  }
}
