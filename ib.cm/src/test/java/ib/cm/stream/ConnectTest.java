package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.rdma.RdmaOptions;
import ib.cm.stream.StreamWorld.Both;
import ib.core.spi.StandaloneFabric;
import ib.core.testing.Wait;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName(
    "A5, A16, A19: a stream connects in time, from the address it is given, and can be interrupted")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectTest {
  private static final String ONE = "127.0.49.1";
  private static final String TWO = "127.0.49.2";

  static Stream<Named<Supplier<StandaloneFabric>>> drivers() {
    return Stream.of(
        Named.of("soft", () -> SoftFabric.open("soft0", "soft1")),
        Named.of("rxe", () -> RxeHost.open(ONE, TWO)));
  }

  @ParameterizedTest
  @MethodSource("drivers")
  @DisplayName("A5: where no program accepts, connect ends in time; the next one is served")
  void silent(Supplier<StandaloneFabric> driver) throws Exception {
    try (StreamWorld world = new StreamWorld(driver.get())) {
      world.listen(DEFAULTS);
      StreamOptions soon = DEFAULTS.connectTimeout(Duration.ofMillis(100));
      InetSocketAddress at = world.at();
      SocketTimeoutException why =
          assertThrows(
              SocketTimeoutException.class, () -> RdmaStream.connect(world.client, at, soon));
      assertTrue(why.getMessage().contains("in up to 100 ms"), why.getMessage());
      // the listener may hear of the first one before it hears that the first one has given up
      Queue<RdmaStream> accepted = new ConcurrentLinkedQueue<>();
      Future<?> accepting =
          world.threads.submit(
              () -> {
                while (true) {
                  accepted.add(world.listener.accept());
                }
              });
      RdmaStream.connect(world.client, at, DEFAULTS).close();
      world.listener.close();
      assertThrows(ExecutionException.class, () -> accepting.get(10, TimeUnit.MINUTES));
      assertFalse(accepted.isEmpty());
      for (RdmaStream each : accepted) {
        each.close();
      }
    }
  }

  @Test
  @DisplayName("A19: from says by which of several devices a stream connects")
  void from() throws Exception {
    try (StreamWorld world = new StreamWorld(RxeHost.open(ONE, TWO))) {
      for (String address : new String[] {ONE, TWO}) {
        StreamOptions by = DEFAULTS.from(new InetSocketAddress(address, 0));
        try (Both both = world.connected(by)) {
          assertEquals(address, both.mine().localAddress().getAddress().getHostAddress());
        }
        world.listener.close();
      }
    }
  }

  @Test
  @DisplayName("A5: 30 s unless the program says another time, of every kind of connection")
  void defaults() {
    for (RdmaOptions each :
        new RdmaOptions[] {RdmaOptions.rc(), RdmaOptions.uc(), RdmaOptions.ud()}) {
      assertEquals(30_000, each.terms().deadlineMs());
    }
    assertEquals(30_000, DEFAULTS.connection().terms().deadlineMs());
    assertEquals(1, deadline(Duration.ofNanos(1)), "no deadline is meant by 0 alone");
    assertEquals(0, deadline(Duration.ZERO));
    assertThrows(IbInvalidException.class, () -> deadline(Duration.ofMillis(-1)));
    assertThrows(IbInvalidException.class, () -> deadline(Duration.ofSeconds(Long.MAX_VALUE)));
    RdmaOptions uc = RdmaOptions.rc().type(QpType.UC);
    assertThrows(IbInvalidException.class, () -> DEFAULTS.connection(uc));
    assertThrows(IbInvalidException.class, () -> DEFAULTS.connection(RdmaOptions.ud()));
  }

  private static long deadline(Duration time) {
    return DEFAULTS.connectTimeout(time).connection().terms().deadlineMs();
  }

  /** What a second thread may wait for behind one that writes or reads. */
  interface Step {
    void run(RdmaStream stream) throws Exception;
  }

  static Stream<Named<Step>> behind() {
    return Stream.of(
        Named.of("shutdownOutput", RdmaStream::shutdownOutput),
        Named.of("write", s -> s.write(ByteBuffer.allocate(1))));
  }

  @ParameterizedTest
  @MethodSource("behind")
  @DisplayName(
      "A16: what waits behind a blocked writer can be interrupted, which closes the stream")
  void interrupted(Step step) throws Exception {
    StreamOptions small = DEFAULTS.buffers(4096, 4096);
    try (StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"));
        Both both = world.connected(small)) {
      FutureTask<Integer> writes =
          new FutureTask<>(() -> both.mine().write(ByteBuffer.allocate(1 << 20)));
      Wait.asleep(Thread.ofPlatform().start(writes)); // so that the other one comes behind it
      FutureTask<Void> behind =
          new FutureTask<>(
              () -> {
                step.run(both.mine());
                return null;
              });
      Thread thread = Thread.ofPlatform().start(behind);
      Wait.asleep(thread);
      thread.interrupt();
      Throwable why = assertThrows(Exception.class, behind::get).getCause();
      assertEquals(ClosedByInterruptException.class, why.getClass());
      assertFalse(both.mine().isOpen());
      assertThrows(Exception.class, writes::get);
    }
  }
}
