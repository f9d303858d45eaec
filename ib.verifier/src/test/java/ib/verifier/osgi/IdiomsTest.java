package ib.verifier.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.verifier.bundles.Breaches;
import ib.verifier.bundles.Idioms;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("breaches of drivers and protocols are named, and harmless idioms are not")
class IdiomsTest {
  private static final String CONCURRENT = "java.util.concurrent.";
  @TempDir Path storage;

  @Test
  @DisplayName("each breach is named once, in turn, with its culprit and advice")
  void breaches() throws Exception {
    List<Violation> found = handle(Breaches.class);
    assertEquals(
        List.of(
            CONCURRENT + "CountDownLatch.await",
            CONCURRENT + "CyclicBarrier.await",
            CONCURRENT + "Phaser.awaitAdvanceInterruptibly",
            CONCURRENT + "Exchanger.exchange",
            CONCURRENT + "Semaphore.acquire",
            CONCURRENT + "locks.Lock.lock",
            CONCURRENT + "BlockingQueue.put",
            CONCURRENT + "ExecutorService.invokeAll",
            CONCURRENT + "ExecutorService.close",
            CONCURRENT + "CompletionService.take",
            CONCURRENT + "Future.get",
            "java.lang.Thread.join",
            "java.lang.Process.waitFor",
            "java.lang.ref.ReferenceQueue.remove",
            "java.io.BufferedReader.readLine",
            "java.util.Properties.load",
            "java.io.DataOutputStream.writeInt",
            "java.io.PrintWriter.printf",
            "java.nio.channels.Selector.select",
            "java.net.DatagramSocket.receive",
            "java.net.ServerSocket.accept",
            "java.net.Socket.connect",
            "org.osgi.framework.BundleContext.getService",
            "org.osgi.framework.ServiceRegistration.unregister"),
        found.stream().map(v -> v.text().split(" ")[0]).toList());
    for (Violation v : found) {
      assertEquals("canary.Breaches", v.culprit());
      assertTrue(!v.instead().isEmpty() && !v.instead().startsWith("- "), v::report);
    }
  }

  @Test
  @DisplayName("what does not wait is silent")
  void idioms() throws Exception {
    assertEquals(List.of(), handle(Idioms.class));
  }

  private List<Violation> handle(Class<?> subject) throws Exception {
    try (Lab lab = new Lab(storage)) {
      lab.startVerifier();
      lab.callback(lab.subject(lab.start(subject)));
      return List.copyOf(lab.violations());
    }
  }
}
