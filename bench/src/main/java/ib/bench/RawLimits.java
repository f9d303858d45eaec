package ib.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
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

/** What the machine can do at best: the flag round trip F, the ring round trip R, the copy C. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RawLimits {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** F: two threads, one flag each way. */
  @State(Scope.Benchmark)
  public static class Flag {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment ping = arena.allocate(128, 128);
    private final MemorySegment pong = arena.allocate(128, 128);
    private volatile boolean stop;
    private Thread echo = Thread.ofPlatform().unstarted(() -> {});
    private long turn;

    /** Starts the echo. */
    @Setup(Level.Trial)
    public void setUp() {
      echo =
          Thread.ofPlatform()
              .name("echo")
              .start(
                  () -> {
                    long expect = 1;
                    while (!stop) {
                      if ((long) LONG.getAcquire(ping, 0L) == expect) {
                        LONG.setRelease(pong, 0L, expect++);
                      } else {
                        Thread.onSpinWait();
                      }
                    }
                  });
    }

    /** Ends the echo. */
    @TearDown(Level.Trial)
    public void tearDown() throws InterruptedException {
      stop = true;
      echo.join();
      arena.close();
    }

    void roundTrip() {
      long t = ++turn;
      LONG.setRelease(ping, 0L, t);
      while ((long) LONG.getAcquire(pong, 0L) != t) {
        Thread.onSpinWait();
      }
    }
  }

  /** R: two threads, a ring of 64 byte slots each way, the validity word in the slot. */
  @State(Scope.Benchmark)
  public static class Ring {
    private static final int SLOTS = 256;
    private static final int SLOT = 64;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment there = arena.allocate(SLOTS * SLOT, 128);
    private final MemorySegment back = arena.allocate(SLOTS * SLOT, 128);
    private final MemorySegment mine = arena.allocate(SLOT, 64);
    private final MemorySegment theirs = arena.allocate(SLOT, 64);
    private volatile boolean stop;
    private Thread echo = Thread.ofPlatform().unstarted(() -> {});
    private long turn;

    /** Starts the echo. */
    @Setup(Level.Trial)
    public void setUp() {
      echo =
          Thread.ofPlatform()
              .name("echo")
              .start(
                  () -> {
                    long expect = 1;
                    while (!stop) {
                      if (take(there, expect, theirs)) {
                        put(back, expect++, theirs);
                      } else {
                        Thread.onSpinWait();
                      }
                    }
                  });
    }

    /** Ends the echo. */
    @TearDown(Level.Trial)
    public void tearDown() throws InterruptedException {
      stop = true;
      echo.join();
      arena.close();
    }

    private static void put(MemorySegment ring, long n, MemorySegment from) {
      long slot = (n % SLOTS) * SLOT;
      MemorySegment.copy(from, 8, ring, slot + 8, SLOT - 8);
      LONG.setRelease(ring, slot, n);
    }

    private static boolean take(MemorySegment ring, long n, MemorySegment into) {
      long slot = (n % SLOTS) * SLOT;
      if ((long) LONG.getAcquire(ring, slot) != n) {
        return false;
      }
      MemorySegment.copy(ring, slot + 8, into, 8, SLOT - 8);
      return true;
    }

    void roundTrip() {
      long n = ++turn;
      put(there, n, mine);
      while (!take(back, n, mine)) {
        Thread.onSpinWait();
      }
    }
  }

  /** C: one copy between two segments. */
  @State(Scope.Benchmark)
  public static class Copy {
    /** Bytes. */
    @Param({"64", "4096", "65536", "1048576"})
    public int bytes;

    private final Arena arena = Arena.ofShared();
    private MemorySegment from = MemorySegment.NULL;
    private MemorySegment to = MemorySegment.NULL;

    /** Allocates. */
    @Setup(Level.Trial)
    public void setUp() {
      from = arena.allocate(bytes, 64);
      to = arena.allocate(bytes, 64);
    }

    /** Frees. */
    @TearDown(Level.Trial)
    public void tearDown() {
      arena.close();
    }
  }

  /** F. */
  @Benchmark
  public void flagRoundTrip(Flag flag) {
    flag.roundTrip();
  }

  /** R. */
  @Benchmark
  public void ringRoundTrip(Ring ring) {
    ring.roundTrip();
  }

  /** C. */
  @Benchmark
  public void copy(Copy copy) {
    MemorySegment.copy(copy.from, 0, copy.to, 0, copy.bytes);
  }
}
