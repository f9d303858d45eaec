package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static ib.cm.stream.StreamWorld.read;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRejectedException;
import ib.cm.stream.StreamWorld.Both;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@DisplayName("issue 14, section 3: streams")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamTest {
  private final StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"));
  private final ExecutorService threads = world.threads;

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  @DisplayName("what is written is read, and then the end")
  void echo() throws Exception {
    try (Both both = world.connected(DEFAULTS)) {
      byte[] hello = "hello, stream".getBytes(java.nio.charset.StandardCharsets.UTF_8);
      assertEquals(hello.length, both.mine().write(ByteBuffer.wrap(hello)));
      assertArrayEquals(hello, read(both.theirs(), hello.length));
      assertEquals(both.mine().localAddress().getPort(), both.theirs().remoteAddress().getPort());
      both.mine().shutdownOutput();
      assertEquals(-1, both.theirs().read(ByteBuffer.allocate(1)));
      both.theirs().write(ByteBuffer.wrap(hello)); // the other direction goes on
      assertArrayEquals(hello, read(both.mine(), hello.length));
      assertThrows(ClosedChannelException.class, () -> both.mine().write(ByteBuffer.wrap(hello)));
      both.theirs().close();
      assertEquals(-1, both.mine().read(ByteBuffer.allocate(1)));
    }
  }

  @Test
  @DisplayName("RS-9: the peer has closed both directions: what is written then has nowhere to go")
  void peerClosed() throws Exception {
    try (Both both = world.connected(DEFAULTS)) {
      both.theirs().close();
      assertEquals(-1, both.mine().read(ByteBuffer.allocate(1)));
      SocketException why =
          assertThrows(SocketException.class, () -> both.mine().write(ByteBuffer.allocate(1)));
      assertEquals("Broken pipe", why.getMessage());
    }
  }

  @Test
  @Timeout(value = 50, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // less than it may poll
  @DisplayName("a read looks for completions for the time to poll, and sleeps at once without one")
  void polls() throws Exception {
    whileItReads(DEFAULTS.pollTime(Duration.ofMinutes(1)), Thread.State.RUNNABLE);
    whileItReads(DEFAULTS.pollTime(Duration.ZERO), Thread.State.TIMED_WAITING);
    assertThrows(IbInvalidException.class, () -> DEFAULTS.pollTime(Duration.ofMinutes(2)));
  }

  /** Waits until a reader stays in a state, and gives the reader a byte. */
  private void whileItReads(StreamOptions options, Thread.State expected) throws Exception {
    try (Both both = world.connected(options)) {
      FutureTask<Integer> read = new FutureTask<>(() -> both.mine().read(ByteBuffer.allocate(1)));
      Thread reader = Thread.ofPlatform().start(read);
      for (int same = 0; same < 50; same++) { // 50 ms in one state; the test has a limit
        LockSupport.parkNanos(1_000_000);
        same = reader.getState() == expected ? same : 0;
      }
      both.mine().write(ByteBuffer.wrap(new byte[] {1})); // the reader lets others have the lock
      both.theirs().write(ByteBuffer.wrap(new byte[] {2}));
      assertEquals(1, read.get(1, TimeUnit.MINUTES));
    }
  }

  @Test
  @DisplayName("RS-14: every byte arrives once and in order, both directions at a time")
  void bothWays() throws Exception {
    world.exchange(DEFAULTS, 64 << 20);
  }

  @Test
  @DisplayName("RS-5, RS-7: with the smallest buffers and queues, too, so that each limit is met")
  void smallest() throws Exception {
    world.exchange(DEFAULTS.buffers(4096, 4096).queues(8, 8), 4 << 20);
  }

  @Test
  @DisplayName("RS-14: with buffers that grow from the smallest, too")
  void growing() throws Exception {
    world.exchange(DEFAULTS.buffers(4096, 4096).maxReceiveBuffer(1 << 18), 16 << 20);
  }

  @Test
  @DisplayName(
      "F8: the receive buffer grows to its limit, when the peer fills it before it is read")
  void grows() throws Exception {
    int most = 1 << 16;
    try (StreamWorld.Both both =
        world.connected(DEFAULTS.buffers(4096, 4096).maxReceiveBuffer(most))) {
      int all = 4 << 20;
      Thread writer =
          Thread.ofPlatform()
              .start(() -> assertDoesNotThrow(() -> both.mine().write(ByteBuffer.allocate(all))));
      ByteBuffer into = ByteBuffer.allocate(all);
      while (into.hasRemaining()) {
        while (writer.getState() == Thread.State.RUNNABLE) { // it has not filled the buffer yet
          Thread.onSpinWait();
        }
        both.theirs().read(into);
      }
      writer.join();
      // nobody reads: it is in the buffer, of which the peer may always write a half
      ByteBuffer more = ByteBuffer.allocate(most / 2);
      Future<Integer> wrote = world.threads.submit(() -> both.mine().write(more));
      assertEquals(most / 2, wrote.get(1, TimeUnit.MINUTES));
      assertEquals(most / 2, StreamWorld.read(both.theirs(), most / 2).length);
    }
  }

  @Test
  @DisplayName("RS-12: nothing listens: refused, and it says so; the address is wrong: no route")
  void refused() throws Exception {
    world.listen(DEFAULTS);
    InetSocketAddress at = world.at();
    world.listener.close();
    ConnectException why =
        assertThrows(ConnectException.class, () -> RdmaStream.connect(world.client, at, DEFAULTS));
    assertTrue(why.getMessage().startsWith("Connection refused"), why.toString());
  }

  @Test
  @DisplayName("a thread that waits hears of the close, and of the interrupt")
  void closedMeanwhile() throws Exception {
    try (Both both = world.connected(DEFAULTS)) {
      Future<Integer> waits = threads.submit(() -> both.mine().read(ByteBuffer.allocate(1)));
      Thread.onSpinWait();
      both.mine().close();
      Throwable why = assertThrows(Exception.class, waits::get).getCause();
      assertTrue(why instanceof ClosedChannelException, why.toString());
    }
    try (Both both = world.connected(DEFAULTS)) {
      Thread.currentThread().interrupt();
      assertThrows(
          ClosedByInterruptException.class, () -> both.mine().read(ByteBuffer.allocate(1)));
      assertTrue(Thread.interrupted());
      assertThrows(ClosedChannelException.class, () -> both.mine().read(ByteBuffer.allocate(1)));
    }
  }

  @Test
  @DisplayName("RG-21: a listener that is closed lets the threads that wait go")
  void listenerClosed() throws Exception {
    RdmaStreamListener ear = world.listen(DEFAULTS);
    Future<RdmaStream> waits = world.accepted();
    Future<RdmaStream> waitsToo = world.accepted();
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
    try (Both both = world.connected(DEFAULTS)) {
      Future<Integer> waits = threads.submit(() -> both.mine().read(ByteBuffer.allocate(1)));
      ListAppender<ILoggingEvent> warnings = new ListAppender<>();
      Logger log = (Logger) LoggerFactory.getLogger(RdmaCm.class);
      warnings.start();
      log.addAppender(warnings);
      world.fabric.unplug("soft0");
      log.detachAppender(warnings);
      assertEquals(List.of(), warnings.list, "the device waited for the stream in vain");
      Throwable why = assertThrows(Exception.class, waits::get).getCause();
      assertTrue(why instanceof SocketException, why.toString());
      SocketException there =
          assertThrows(SocketException.class, () -> both.theirs().read(ByteBuffer.allocate(1)));
      assertTrue(there.getMessage().startsWith("Connection reset"), there.toString());
      assertThrows(SocketException.class, () -> both.mine().write(ByteBuffer.allocate(1)));
    }
  }

  @Test
  @DisplayName("a peer that is no stream is rejected, and the next one is served")
  void strangers() throws Exception {
    world.listen(DEFAULTS);
    Future<RdmaStream> accepted = world.accepted();
    StreamTerms none = new StreamTerms(false, 0, 0, 0, 0, 0, 1, 0); // no credits
    for (Plain peer : List.of(new Plain(m -> null), new Plain(m -> none))) {
      RdmaRejectedException why =
          assertThrows(
              RdmaRejectedException.class,
              () -> world.client.connect(world.at(), RdmaOptions.rc(), peer));
      assertEquals(28, why.reason());
    }
    try (RdmaStream mine = RdmaStream.connect(world.client, world.at(), DEFAULTS);
        RdmaStream theirs = accepted.get(1, TimeUnit.MINUTES)) {
      mine.write(ByteBuffer.wrap(new byte[] {7}));
      assertArrayEquals(new byte[] {7}, read(theirs, 1));
    }
  }

  @Test
  @DisplayName("a peer that sends more than it may ends its stream, and nothing else")
  void overrun() throws Exception {
    world.listen(DEFAULTS.buffers(4096, 4096));
    Future<RdmaStream> accepted = world.accepted();
    Plain plain =
        new Plain(
            m -> new StreamTerms(false, 8, m.iova(), m.rkey(), m.iova() + 32, m.rkey(), 4096, 0));
    RdmaConnection raw = world.client.connect(world.at(), RdmaOptions.rc(), plain);
    try (RdmaStream theirs = accepted.get(1, TimeUnit.MINUTES)) {
      QueuePair qp = raw.qp();
      qp.wrStart().wrId(1).wrFlags(SendFlags.SIGNALED);
      assertEquals(0, qp.wrRdmaWriteImm(0, 0, Immediate.DATA.of(4097)).wrComplete());
      ByteBuffer into = ByteBuffer.allocate(1);
      ProtocolException why = assertThrows(ProtocolException.class, () -> theirs.read(into));
      assertTrue(why.getMessage().contains("4097 bytes and may send"), why.toString());
      assertThrows(ProtocolException.class, () -> theirs.write(ByteBuffer.allocate(1)));
      RdmaEnd.Kind how = raw.ended().get(1, TimeUnit.MINUTES).kind(); // REJECTED before the RTU
      assertTrue(
          EnumSet.of(RdmaEnd.Kind.DISCONNECTED, RdmaEnd.Kind.REJECTED).contains(how), "" + how);
    }
    raw.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  @DisplayName("RS-14: with lost, repeated and reordered packets, too")
  void faults(long seed) throws Exception {
    SoftFabric disturbed =
        SoftFabric.options()
            .devices("soft0", "soft1")
            .faults("loss rate=0.01", "duplicate rate=0.01", "reorder rate=0.01")
            .seed(seed)
            .open();
    try (StreamWorld other = new StreamWorld(disturbed)) {
      other.exchange(DEFAULTS.buffers(16_384, 16_384), 1 << 20);
    }
  }

  @Test
  @DisplayName("over RoCE devices, by IPv4 addresses")
  void overEthernet() throws Exception {
    try (StreamWorld other = new StreamWorld(RxeHost.open("127.0.43.1", "127.0.43.2"))) {
      other.exchange(DEFAULTS, 8 << 20);
    }
  }

  /** A queue pair that knows nothing of streams. */
  private static final class Plain implements QpFactory {
    private final Function<MemoryRegion, @Nullable StreamTerms> terms;
    private final Deque<AutoCloseable> made = new ArrayDeque<>();
    private MemoryRegion memory;

    Plain(Function<MemoryRegion, @Nullable StreamTerms> terms) {
      this.terms = terms;
    }

    @Override
    public byte[] data(RdmaOptions options) {
      StreamTerms said = terms.apply(memory);
      return said == null ? new byte[0] : said.toBytes();
    }

    @Override
    public QueuePair make(IbDevice device, int port) {
      ProtectionDomain pd = device.allocPd();
      made.push(pd);
      CompletionQueue cq = device.createCq(new CqInit(64));
      made.push(cq);
      memory = pd.allocMemory(8192, 4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      made.push(memory);
      return pd.createQp(new QpInit(QpType.RC, cq, new QpCap(8, 32, 1, 1, 0)));
    }

    @Override
    public void initialized(QueuePair qp) {
      for (int i = 0; i < 32; i++) {
        assertEquals(0, qp.postReceive(i, 0, 0, 0));
      }
    }

    @Override
    public void destroyed(QueuePair qp) {
      while (!made.isEmpty()) {
        try {
          made.pop().close();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
    }
  }
}
