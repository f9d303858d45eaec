package ib.verifier.bundles;

import ib.core.verbs.CompletionQueue;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * A handler that makes each call that may block: most of them of an object that is not there, which
 * ends the call as soon as it is seen.
 */
public final class Sleepers extends Handlers.Handler {
  private static final List<Body> BODIES =
      List.of(
          () -> TimeUnit.NANOSECONDS.sleep(1),
          () -> connect(SocketChannel.open()),
          () -> read(SocketChannel.open()),
          () -> accept(ServerSocketChannel.open()),
          () -> receive(DatagramChannel.open()),
          () -> Sleepers.<InputStream>none().read(),
          () -> Sleepers.<StampedLock>none().readLock(),
          () -> Sleepers.<StampedLock>none().writeLockInterruptibly(),
          () -> Sleepers.<BlockingDeque<String>>none().takeFirst(),
          () -> Sleepers.<BlockingDeque<String>>none().putLast(""),
          () -> Sleepers.<LinkedTransferQueue<String>>none().transfer(""),
          () -> Sleepers.<ForkJoinTask<String>>none().join(),
          () -> Sleepers.<ForkJoinPool>none().invoke(Sleepers.<ForkJoinTask<String>>none()),
          () -> Files.copy(Sleepers.<Path>none(), Sleepers.<Path>none()),
          () -> Files.readAllLines(none()),
          () -> Files.list(none()),
          () -> Sleepers.<RandomAccessFile>none().readInt(),
          () -> Sleepers.<RandomAccessFile>none().setLength(1),
          () -> FileChannel.open(none()),
          () -> new FileInputStream(Sleepers.<String>none()).close(),
          () -> Sleepers.<FileChannel>none().map(FileChannel.MapMode.READ_ONLY, 0, 1),
          () -> Sleepers.<MappedByteBuffer>none().force(),
          () -> new ProcessBuilder().start(),
          () -> InetAddress.getLocalHost(),
          () -> Sleepers.<URL>none().openStream(),
          () -> Sleepers.<HttpClient>none().send(none(), none()),
          () -> Sleepers.<PrintStream>none().println("a line"),
          () -> Sleepers.<BundleContext>none().installBundle(""),
          () -> Sleepers.<Bundle>none().uninstall(),
          () -> Sleepers.<CompletableFuture<String>>none().get(),
          () -> Sleepers.<CompletableFuture<String>>none().join());

  /** What ended each call. */
  private final Queue<Exception> ends = new ArrayDeque<>();

  /** A call. */
  private interface Body {
    void run() throws Exception;
  }

  @Override
  public void complete(CompletionQueue cq, Object context) {
    for (Body body : BODIES) {
      try {
        body.run();
      } catch (Exception e) {
        ends.add(e);
      }
    }
  }

  private static <T> T none() {
    return null;
  }

  private static void connect(SocketChannel channel) throws Exception {
    try (channel) {
      channel.connect(InetSocketAddress.createUnresolved("host", 1)); // unresolved: refused at once
    }
  }

  private static void read(SocketChannel channel) throws Exception {
    try (channel) {
      channel.read(ByteBuffer.allocate(1)); // not connected: refused at once
    }
  }

  private static void accept(ServerSocketChannel channel) throws Exception {
    try (channel) {
      channel.accept(); // not bound: refused at once
    }
  }

  private static void receive(DatagramChannel channel) throws Exception {
    try (channel) {
      channel.receive(ByteBuffer.allocate(1).asReadOnlyBuffer()); // refused at once
    }
  }
}
