package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.core.client.ClientRegistration;
import ib.core.spi.StandaloneFabric;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 14, section 3: streams")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamTest {
  private static final StreamOptions DEFAULTS = StreamOptions.defaults();
  private final StandaloneFabric fabric = SoftFabric.open("soft0", "soft1");
  private final CmClient manager = CmClient.create();
  private final ClientRegistration registered = fabric.core().registerClient(manager);
  private final RdmaCm server = RdmaCm.open(fabric.core(), manager, "server");
  private final RdmaCm client = RdmaCm.open(fabric.core(), manager, "client");
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private RdmaStreamListener listener;

  @AfterEach
  void close() {
    threads.shutdownNow();
    client.close();
    server.close();
    registered.unregister();
    assertEquals(List.of(), fabric.core().violations(), "the contract");
    fabric.close();
  }

  private RdmaStreamListener listen(StreamOptions options) throws IOException {
    listener = RdmaStreamListener.listen(server, new InetSocketAddress(0), 4, options);
    return listener;
  }

  private InetSocketAddress at() throws IOException {
    byte[] gid = fabric.device("soft1").gid(1, 0).toBytes();
    return new InetSocketAddress(InetAddress.getByAddress(gid), listener.localAddress().getPort());
  }

  /** Two ends. */
  private record Both(RdmaStream mine, RdmaStream theirs) implements AutoCloseable {
    @Override
    public void close() {
      mine.close();
      theirs.close();
    }
  }

  private Both connected(StreamOptions options) throws Exception {
    RdmaStreamListener ear = listen(options);
    Future<RdmaStream> accepted = threads.submit((Callable<RdmaStream>) ear::accept);
    RdmaStream mine = RdmaStream.connect(client, at(), options);
    return new Both(mine, accepted.get(1, TimeUnit.MINUTES));
  }

  private static byte[] read(RdmaStream from, int bytes) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    while (into.hasRemaining() && from.read(into) >= 0) {}
    return java.util.Arrays.copyOf(into.array(), into.position());
  }

  @Test
  @DisplayName("what is written is read, and then the end")
  void echo() throws Exception {
    try (Both both = connected(DEFAULTS)) {
      byte[] hello = "hello, stream".getBytes(java.nio.charset.StandardCharsets.UTF_8);
      assertEquals(hello.length, both.mine.write(ByteBuffer.wrap(hello)));
      assertArrayEquals(hello, read(both.theirs, hello.length));
      assertEquals(both.mine.localAddress().getPort(), both.theirs.remoteAddress().getPort());
      both.mine.shutdownOutput();
      assertEquals(-1, both.theirs.read(ByteBuffer.allocate(1)));
      both.theirs.write(ByteBuffer.wrap(hello)); // the other direction goes on
      assertArrayEquals(hello, read(both.mine, hello.length));
      assertThrows(ClosedChannelException.class, () -> both.mine.write(ByteBuffer.wrap(hello)));
      both.theirs.close();
      assertEquals(-1, both.mine.read(ByteBuffer.allocate(1)));
    }
  }

  /** Writes pieces of random lengths; {@return their hash} */
  private static byte[] pour(RdmaStream to, long bytes, long seed) throws Exception {
    Random random = new Random(seed);
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    long left = bytes;
    while (left > 0) {
      byte[] piece = new byte[(int) Math.min(left, 1 + random.nextInt(1 << random.nextInt(18)))];
      random.nextBytes(piece);
      hash.update(piece);
      to.write(random.nextBoolean() ? ByteBuffer.wrap(piece) : direct(piece));
      left -= piece.length;
    }
    to.shutdownOutput();
    return hash.digest();
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** Reads to the end; {@return the hash} */
  private static byte[] drain(RdmaStream from, long seed) throws Exception {
    Random random = new Random(seed);
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    while (true) {
      int most = 1 + random.nextInt(1 << random.nextInt(18));
      ByteBuffer into =
          random.nextBoolean() ? ByteBuffer.allocate(most) : ByteBuffer.allocateDirect(most);
      if (from.read(into) < 0) {
        return hash.digest();
      }
      hash.update(into.flip());
    }
  }

  private void exchange(StreamOptions options, long bytes) throws Exception {
    try (Both both = connected(options)) {
      Future<byte[]> out = threads.submit(() -> pour(both.mine, bytes, 1));
      Future<byte[]> back = threads.submit(() -> pour(both.theirs, bytes, 2));
      Future<byte[]> there = threads.submit(() -> drain(both.theirs, 3));
      Future<byte[]> here = threads.submit(() -> drain(both.mine, 4));
      assertArrayEquals(out.get(), there.get());
      assertArrayEquals(back.get(), here.get());
    }
  }

  @Test
  @DisplayName("RS-14: every byte arrives once and in order, both directions at a time")
  void bothWays() throws Exception {
    exchange(DEFAULTS, 64 << 20);
  }

  @Test
  @DisplayName("RS-5: with the smallest buffers and queues, too, so that each limit is met")
  void smallest() throws Exception {
    exchange(DEFAULTS.buffers(4096, 4096).queues(8, 8), 4 << 20);
  }

  @Test
  @DisplayName("nothing listens: refused, and it says so; the address is wrong: no route")
  void refused() throws Exception {
    listen(DEFAULTS);
    InetSocketAddress at = at();
    listener.close();
    ConnectException why =
        assertThrows(ConnectException.class, () -> RdmaStream.connect(client, at, DEFAULTS));
    assertTrue(why.getMessage().startsWith("Connection refused"), why.toString());
  }

  @Test
  @DisplayName("a thread that waits hears of the close, and of the interrupt")
  void closedMeanwhile() throws Exception {
    try (Both both = connected(DEFAULTS)) {
      Future<Integer> waits = threads.submit(() -> both.mine.read(ByteBuffer.allocate(1)));
      Thread.onSpinWait();
      both.mine.close();
      Throwable why = assertThrows(Exception.class, waits::get).getCause();
      assertTrue(why instanceof ClosedChannelException, why.toString());
    }
    try (Both both = connected(DEFAULTS)) {
      Thread.currentThread().interrupt();
      assertThrows(ClosedByInterruptException.class, () -> both.mine.read(ByteBuffer.allocate(1)));
      assertTrue(Thread.interrupted());
      assertThrows(ClosedChannelException.class, () -> both.mine.read(ByteBuffer.allocate(1)));
    }
  }

  @Test
  @DisplayName("a listener that is closed lets the threads that wait go")
  void listenerClosed() throws Exception {
    RdmaStreamListener ear = listen(DEFAULTS);
    Future<RdmaStream> waits = threads.submit((Callable<RdmaStream>) ear::accept);
    Future<RdmaStream> waitsToo = threads.submit((Callable<RdmaStream>) ear::accept);
    ear.close();
    for (Future<RdmaStream> each : List.of(waits, waitsToo)) {
      Throwable why = assertThrows(Exception.class, each::get).getCause();
      assertTrue(why instanceof ClosedChannelException, why.toString());
    }
    assertThrows(ClosedChannelException.class, ear::accept);
  }

  @Test
  @DisplayName("API-6: a device goes under a stream: both ends fail, and the removal returns")
  void removed() throws Exception {
    try (Both both = connected(DEFAULTS)) {
      Future<Integer> waits = threads.submit(() -> both.mine.read(ByteBuffer.allocate(1)));
      fabric.unplug("soft0");
      Throwable why = assertThrows(Exception.class, waits::get).getCause();
      assertTrue(why instanceof SocketException, why.toString());
      SocketException there =
          assertThrows(SocketException.class, () -> both.theirs.read(ByteBuffer.allocate(1)));
      assertTrue(there.getMessage().startsWith("Connection reset"), there.toString());
      assertThrows(SocketException.class, () -> both.mine.write(ByteBuffer.allocate(1)));
    }
  }
}
