package ib.bench;

import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What G1 is compared with: the round trip of Aeron IPC, two polling threads. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AeronPingPong {
  private static final int WORK_EVERY = 64;
  private static final int MAX_POLLS = 1024;

  /** Message bytes. */
  @Param({"64", "4096"})
  public int bytes;

  private AeronIpc aeron;
  private ExclusivePublication there;
  private Subscription back;
  private Echo echo;
  private UnsafeBuffer message;
  private int got;
  private int count;
  private final FragmentHandler arrived = (buffer, offset, length, header) -> got++;
  private final Patience patience = new Patience("Aeron round trip");

  /** Connects and starts the echo. */
  @Setup(Level.Trial)
  public void setUp() {
    aeron = new AeronIpc();
    message = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
    Subscription in = aeron.subscribe(1);
    back = aeron.subscribe(2);
    there = aeron.publish(1);
    ExclusivePublication answer = aeron.publish(2);
    UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
    FragmentHandler handler =
        (buffer, offset, length, header) -> {
          buffer.getBytes(offset, copy, 0, length);
          while (answer.offer(copy, 0, length) < 0 && !answer.isClosed()) {
            Thread.onSpinWait();
          }
        };
    echo = new Echo(() -> in.poll(handler, 1) > 0);
  }

  /** Ends the echo. */
  @TearDown(Level.Trial)
  public void tearDown() {
    echo.close();
    aeron.close();
  }

  /** One round trip. */
  @Benchmark
  public void ipcRoundTrip() {
    if (++count % WORK_EVERY == 0) {
      aeron.work();
    }
    while (there.offer(message, 0, bytes) < 0) {
      aeron.work();
      patience.spin();
    }
    int before = got;
    for (int polls = 1; got == before; polls++) {
      if (back.poll(arrived, 1) == 0) {
        patience.spin();
        if (polls % MAX_POLLS == 0) {
          aeron.work(); // the answer may wait for its window: nobody else moves it
        }
      }
    }
    patience.rest();
  }
}
