package ib.bench;

import java.util.concurrent.CompletableFuture;
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
import org.openucx.jucx.ucp.UcpRequest;

/** What G1 is compared with: the round trip of jucx tag messages, two polling threads. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JucxPingPong {
  private static final long PING = 1;
  private static final long PONG = 2;

  /** Message bytes. */
  @Param({"64", "4096"})
  public int bytes;

  private Jucx here;
  private Echo echo;

  /** Connects and starts the echo. */
  @Setup(Level.Trial)
  public void setUp() {
    here = new Jucx(bytes);
    Answer answer = new Answer(here, bytes);
    echo = new Echo(answer, answer::end);
    here.connect(answer.made.orTimeout(10, TimeUnit.SECONDS).join());
  }

  /** Ends the echo. */
  @TearDown(Level.Trial)
  public void tearDown() {
    echo.close();
    here.close();
  }

  /** One round trip, its payload looked at. */
  @Benchmark
  public long tagRoundTrip() {
    UcpRequest pong = here.receive(bytes, PONG);
    here.finish(here.send(bytes, PING));
    here.finish(pong);
    return here.firstBytes();
  }

  /** The other end: made, used and closed by the echo thread. */
  private static final class Answer implements Echo.Turn {
    private final CompletableFuture<Jucx> made = new CompletableFuture<>();
    private final Jucx peer;
    private final int bytes;
    private Jucx there;
    private UcpRequest ping;

    Answer(Jucx peer, int bytes) {
      this.peer = peer;
      this.bytes = bytes;
    }

    @Override
    public boolean run() {
      if (there == null) {
        there = new Jucx(bytes);
        there.connect(peer);
        ping = there.receive(bytes, PING);
        made.complete(there);
      } else if (!ping.isCompleted()) {
        there.progress();
        return false;
      } else {
        ping = there.receive(bytes, PING);
        there.finish(there.send(bytes, PONG));
      }
      return true;
    }

    void end() {
      there.worker.cancelRequest(ping);
      there.finish(ping);
      there.close();
    }
  }
}
