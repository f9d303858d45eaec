package ib.bench;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Aeron over shared memory in this JVM: the round trip of {@link PingPong} and the one-way stream
 * of {@link WriteAndStream}. Its driver's conductor runs in the callers' time only when asked
 * (INVOKER), so that two polling threads have the two cores for themselves.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AeronIpc {
  private static final int BATCH = 16;

  /** Message bytes. */
  @Param({"64", "4096", "1048576"})
  public int bytes;

  private MediaDriver driver;
  private Aeron aeron;
  private Publication ping;
  private Publication pong;
  private Publication stream;
  private Subscription pings;
  private Subscription pongs;
  private Subscription streamed;
  private UnsafeBuffer message;
  private volatile boolean stop;
  private @Nullable Thread echo;
  private int received;
  private final FragmentHandler count = new FragmentAssembler((b, o, l, h) -> received++);

  /** Starts a driver of its own and connects. */
  @Setup(Level.Trial)
  public void setUp() {
    driver =
        MediaDriver.launchEmbedded(
            new MediaDriver.Context()
                .threadingMode(ThreadingMode.INVOKER)
                .ipcTermBufferLength(64 << 20)
                .dirDeleteOnShutdown(true)
                .termBufferSparseFile(false));
    aeron =
        Aeron.connect(
            new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .driverAgentInvoker(driver.sharedAgentInvoker())
                .useConductorAgentInvoker(true)
                .idleStrategy(new BusySpinIdleStrategy()));
    pings = aeron.addSubscription("aeron:ipc", 1);
    pongs = aeron.addSubscription("aeron:ipc", 2);
    streamed = aeron.addSubscription("aeron:ipc", 3);
    ping = aeron.addExclusivePublication("aeron:ipc", 1);
    pong = aeron.addExclusivePublication("aeron:ipc", 2);
    stream = aeron.addExclusivePublication("aeron:ipc", 3);
    while (!(ping.isConnected() && pong.isConnected() && stream.isConnected())) {
      aeron.conductorAgentInvoker().invoke();
      driver.sharedAgentInvoker().invoke();
    }
    message = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
  }

  private void echo() {
    UnsafeBuffer answer = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
    FragmentHandler handler = new FragmentAssembler((b, o, l, h) -> offer(pong, answer));
    while (!stop) {
      if (pings.poll(handler, 64) == 0) {
        Thread.onSpinWait();
      }
    }
  }

  private void offer(Publication to, UnsafeBuffer what) {
    while (to.offer(what, 0, bytes) < 0) {
      driver.sharedAgentInvoker().invoke(); // back pressure: its conductor moves the limit
      Thread.onSpinWait();
    }
  }

  /** Ends the echo and the driver. */
  @TearDown(Level.Trial)
  public void tearDown() throws InterruptedException {
    stop = true;
    if (echo != null) {
      echo.join();
    }
    aeron.close();
    driver.close();
  }

  /** One round trip. */
  @Benchmark
  public void aeronRoundTrip() {
    if (echo == null) {
      echo = Thread.ofPlatform().name("echo").start(this::echo);
    }
    int before = received;
    offer(ping, message);
    while (received == before) {
      if (pongs.poll(count, 64) == 0) {
        driver.sharedAgentInvoker().invoke();
      }
    }
  }

  /** Sixteen messages, all taken by the same thread. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void aeronStream() {
    int until = received + BATCH;
    for (int i = 0; i < BATCH; i++) {
      offer(stream, message);
    }
    while (received < until) {
      if (streamed.poll(count, 64) == 0) {
        driver.sharedAgentInvoker().invoke();
      }
    }
  }
}
