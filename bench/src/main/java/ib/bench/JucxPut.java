package ib.bench;

import java.util.concurrent.TimeUnit;
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

/** What G2 is compared with: put and flush of jucx over shared memory, driven by one thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JucxPut {
  private static final int BATCH = 16;

  /** Message bytes. */
  @Param({"64", "4096", "65536", "1048576"})
  public int bytes;

  private Jucx here;
  private Jucx there;

  /** Connects. */
  @Setup(Level.Trial)
  public void setUp() {
    here = new Jucx(bytes);
    there = new Jucx(bytes);
    Jucx.connect(here, there);
  }

  /** Closes. */
  @TearDown(Level.Trial)
  public void tearDown() {
    here.close();
    there.close();
  }

  /** One put and its flush. */
  @Benchmark
  public void putOneAtATime() {
    here.finish(here.put(bytes));
  }

  /** Sixteen puts and one flush; the puts make no request object, the fastest jucx has. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void putWindowed() {
    for (int i = 1; i < BATCH; i++) {
      here.putOnly(bytes);
    }
    here.finish(here.put(bytes));
  }
}
