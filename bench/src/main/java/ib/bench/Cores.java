package ib.bench;

import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Two cores at work (G7): a pair each, or both at one queue pair; beside a contended counter. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Cores {
  private static final int SIGNAL_EVERY = 16;

  /** A connection of its own for each thread. */
  @State(Scope.Thread)
  public static class OwnPair {
    TwoDevices devices;
    End here;
    End there;

    /** Connects. */
    @Setup(Level.Trial)
    public void setUp() {
      devices = new TwoDevices();
      here = new End(devices.first(), 64);
      there = new End(devices.second(), 64);
      End.connect(here, there);
    }

    /** Closes. */
    @TearDown(Level.Trial)
    public void tearDown() {
      here.close();
      there.close();
      devices.close();
    }
  }

  /** One connection, and a counter, for all threads. */
  @State(Scope.Benchmark)
  public static class Shared extends OwnPair {
    private final AtomicLong counter = new AtomicLong();
  }

  /** What a thread posts. */
  @State(Scope.Thread)
  public static class Request {
    private final SendWr wr = new SendWr(1);
    private int count;
  }

  /** One thread, its own pair. */
  @Benchmark
  @Threads(1)
  public void onePair(OwnPair own) {
    own.here.write(own.there, 64, SendFlags.SIGNALED);
    End.reapOne(own.here.sendCq);
  }

  /** Two threads, a pair each. */
  @Benchmark
  @Threads(2)
  public void twoPairs(OwnPair own) {
    own.here.write(own.there, 64, SendFlags.SIGNALED);
    End.reapOne(own.here.sendCq);
  }

  /** Two threads, one queue pair. */
  @Benchmark
  @Threads(2)
  public void oneQueuePairTwoThreads(Shared shared, Request request) {
    SendWr wr = request.wr;
    wr.clearSges().addSge(shared.here.lkey, shared.here.address, 64);
    wr.opcode(WrOpcode.RDMA_WRITE)
        .rkey(shared.there.memory.rkey())
        .remoteAddr(shared.there.address)
        .flags(++request.count % SIGNAL_EVERY == 0 ? SendFlags.SIGNALED : 0);
    while (shared.here.qp.postSend(wr) != PostStatus.OK) {
      End.reap(shared.here.sendCq);
    }
  }

  /** Two threads, one fetch-and-add. */
  @Benchmark
  @Threads(2)
  public long contendedFetchAndAdd(Shared shared) {
    return shared.counter.getAndIncrement();
  }
}
