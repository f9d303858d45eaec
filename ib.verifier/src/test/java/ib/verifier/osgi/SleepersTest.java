package ib.verifier.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.verifier.bundles.Sleepers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("each call that may block in a handler is named once, with its culprit and advice")
class SleepersTest {
  @TempDir static Path storage;
  private static List<Violation> found;

  @BeforeAll
  static void handle() throws Exception {
    try (Lab lab = new Lab(storage)) {
      lab.startVerifier();
      lab.callback(lab.subject(lab.start(Sleepers.class)));
      found = List.copyOf(lab.violations());
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "java.util.concurrent.TimeUnit.sleep, timer",
    "java.nio.channels.SocketChannel.connect, configured not to block",
    "java.nio.channels.SocketChannel.read, configured not to block",
    "java.nio.channels.ServerSocketChannel.accept, configured not to block",
    "java.nio.channels.DatagramChannel.receive, configured not to block",
    "java.io.InputStream.read, thread of your own",
    "java.util.concurrent.locks.StampedLock.readLock, tryReadLock",
    "java.util.concurrent.locks.StampedLock.writeLockInterruptibly, tryWriteLock",
    "java.util.concurrent.BlockingDeque.takeFirst, pollFirst",
    "java.util.concurrent.BlockingDeque.putLast, offerLast",
    "java.util.concurrent.TransferQueue.transfer, tryTransfer",
    "java.util.concurrent.ForkJoinTask.join, completer",
    "java.util.concurrent.ForkJoinPool.invoke, submit",
    "java.nio.file.Files.copy, thread of your own",
    "java.nio.file.Files.readAllLines, thread of your own",
    "java.nio.file.Files.list, thread of your own",
    "java.io.RandomAccessFile.readInt, thread of your own",
    "java.io.RandomAccessFile.setLength, thread of your own",
    "java.nio.channels.FileChannel.open, thread of your own",
    "java.io.FileInputStream.new, thread of your own",
    "java.nio.channels.FileChannel.map, thread of your own",
    "java.nio.MappedByteBuffer.force, thread of your own",
    "java.lang.ProcessBuilder.start, thread of your own",
    "java.net.InetAddress.getLocalHost, thread of your own",
    "java.net.URL.openStream, thread of your own",
    "java.net.http.HttpClient.send, sendAsync",
    "java.io.PrintStream.println, slf4j",
    "org.osgi.framework.BundleContext.installBundle, thread of your own",
    "org.osgi.framework.Bundle.uninstall, thread of your own",
    "java.util.concurrent.Future.get, resultNow",
    "java.util.concurrent.CompletableFuture.join, resultNow",
  })
  @DisplayName("the call, and what to do instead")
  void named(String call, String advice) {
    List<Violation> named =
        found.stream().filter(v -> v.text().startsWith(call + " may block")).toList();
    assertEquals(1, named.size(), () -> call + " among " + found);
    Violation v = named.getFirst();
    assertEquals("S26", v.clause());
    assertEquals("canary.Sleepers", v.culprit());
    assertTrue(v.instead().contains(advice), v.instead());
  }

  @Test
  @DisplayName("nothing else is reported of them")
  void nothingElse() {
    assertEquals(31, found.size(), found::toString);
  }
}
