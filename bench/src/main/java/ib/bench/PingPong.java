package ib.bench;

import java.util.concurrent.TimeUnit;
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

/** RC SEND round trip between two devices, two polling threads (G1). */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PingPong {
  /** Message bytes. */
  @Param({"64", "4096", "1048576"})
  public int bytes;

  private TwoDevices devices;
  private End here;
  private End there;
  private volatile boolean stop;
  private Thread echo = Thread.ofPlatform().unstarted(() -> {});
  private int unsignaled;

  /** Connects and starts the echo. */
  @Setup(Level.Trial)
  public void setUp() {
    devices = new TwoDevices();
    here = new End(devices.first(), bytes);
    there = new End(devices.second(), bytes);
    End.connect(here, there);
    here.receive(bytes);
    there.receive(bytes);
    echo = Thread.ofPlatform().name("echo").start(this::echo);
  }

  private void echo() {
    int count = 0;
    while (!stop) {
      if (End.reap(there.recvCq) > 0) {
        there.receive(bytes);
        there.send(bytes, signal(++count));
        End.reap(there.sendCq);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /** Every 64th request is signaled, so that completions are read now and then. */
  private static int signal(int count) {
    return (count & 63) == 0 ? ib.core.verbs.SendFlags.SIGNALED : 0;
  }

  /** Ends the echo. */
  @TearDown(Level.Trial)
  public void tearDown() throws InterruptedException {
    stop = true;
    echo.join();
    here.close();
    there.close();
    devices.close();
  }

  /** One round trip. */
  @Benchmark
  public void rcSendRoundTrip() {
    here.send(bytes, signal(++unsignaled));
    End.reapOne(here.recvCq);
    here.receive(bytes);
    End.reap(here.sendCq);
  }
}
