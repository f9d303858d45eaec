package ib.bench;

import ib.core.verbs.SendFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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

/** One 64 byte write after the other, each on a random one of many queue pairs (G6). */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Queues {
  private static final int DEPTH = 4;
  private static final int TURNS = 1 << 16;

  /** Connected pairs of queue pairs. */
  @Param({"1", "10", "1000", "10000"})
  public int queuePairs;

  private final int[] turns = new int[TURNS];
  private final List<End> senders = new ArrayList<>();
  private final List<End> receivers = new ArrayList<>();
  private TwoDevices devices;
  private int turn;

  /** Connects all. */
  @Setup(Level.Trial)
  public void setUp() {
    devices = new TwoDevices();
    for (int i = 0; i < queuePairs; i++) {
      End a = i == 0 ? new End(devices.first(), 64) : senders.get(0).sibling(DEPTH);
      End b = i == 0 ? new End(devices.second(), 64) : receivers.get(0).sibling(DEPTH);
      End.connect(a, b);
      senders.add(a);
      receivers.add(b);
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < TURNS; i++) {
      turns[i] = random.nextInt(queuePairs);
    }
  }

  /** Closes all, those that share with the first one before it. */
  @TearDown(Level.Trial)
  public void tearDown() {
    for (int i = queuePairs - 1; i >= 0; i--) {
      senders.get(i).close();
      receivers.get(i).close();
    }
    devices.close();
  }

  /** Post to completion. */
  @Benchmark
  public void rcWriteRandomQueuePair() {
    int i = turns[turn++ & TURNS - 1];
    senders.get(i).write(receivers.get(i), 64, SendFlags.SIGNALED);
    End.reapOne(senders.get(i).sendCq);
  }
}
