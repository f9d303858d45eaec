package ib.bench;

import ib.core.verbs.SendFlags;
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

/**
 * RC WRITE round trip between two devices: two threads, each polls the last word of its own memory,
 * as {@code ib_write_lat} does; beside it the same through a plain copy (G1).
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WritePingPong {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Brings a message to the other side; its last word is the number of the turn. */
  private interface Side {
    MemorySegment source();

    MemorySegment target();

    void write(int count);
  }

  /** Two sides and an echo. */
  @State(Scope.Benchmark)
  public abstract static class Table {
    /** Message bytes. */
    @Param({"64", "4096", "1048576"})
    public int bytes;

    private Side here;
    private Side there;
    private long last;
    private volatile boolean stop;
    private Thread echo = Thread.ofPlatform().unstarted(() -> {});
    private long turn;

    void start(Side first, Side second) {
      here = first;
      there = second;
      last = (long) bytes - Long.BYTES;
      echo = Thread.ofPlatform().name("echo").start(this::echo);
    }

    private void echo() {
      for (long expect = 1; !stop; ) {
        if ((long) LONG.getAcquire(there.target(), last) == expect) {
          put(there, expect++);
        } else {
          Thread.onSpinWait();
        }
      }
    }

    private void put(Side side, long n) {
      LONG.set(side.source(), last, n);
      side.write((int) n);
    }

    void roundTrip() {
      long n = ++turn;
      put(here, n);
      while ((long) LONG.getAcquire(here.target(), last) != n) {
        Thread.onSpinWait();
      }
    }

    void end() throws InterruptedException {
      stop = true;
      echo.join();
    }
  }

  /** Through two devices. */
  public static class Devices extends Table {
    private TwoDevices devices;
    private End a;
    private End b;

    /** Connects and starts the echo. */
    @Setup(Level.Trial)
    public void setUp() {
      devices = new TwoDevices();
      a = new End(devices.first(), 2L * bytes);
      b = new End(devices.second(), 2L * bytes);
      End.connect(a, b);
      start(new Writer(a, b, bytes), new Writer(b, a, bytes));
    }

    /** Ends the echo. */
    @TearDown(Level.Trial)
    public void tearDown() throws InterruptedException {
      end();
      a.close();
      b.close();
      devices.close();
    }
  }

  /** Through memory alone: the least that a write can cost. */
  public static class Memory extends Table {
    private final Arena arena = Arena.ofShared();

    /** Allocates and starts the echo. */
    @Setup(Level.Trial)
    public void setUp() {
      MemorySegment a = arena.allocate(2L * bytes, 128);
      MemorySegment b = arena.allocate(2L * bytes, 128);
      start(new Copier(a, b, bytes), new Copier(b, a, bytes));
    }

    /** Ends the echo. */
    @TearDown(Level.Trial)
    public void tearDown() throws InterruptedException {
      end();
      arena.close();
    }
  }

  private record Writer(End own, End peer, int bytes, MemorySegment source, MemorySegment target)
      implements Side {
    Writer(End own, End peer, int bytes) {
      this(
          own,
          peer,
          bytes,
          own.memory.segment().asSlice(0, bytes),
          own.memory.segment().asSlice(bytes, bytes));
    }

    @Override
    public void write(int count) {
      own.qp.wrStart();
      own.qp.wrId(count).wrFlags((count & 63) == 0 ? SendFlags.SIGNALED : 0);
      own.qp.wrRdmaWrite(peer.memory.rkey(), peer.address + bytes);
      own.qp.wrSetSge(own.lkey, own.address, bytes);
      if (own.qp.wrComplete() != 0) {
        throw new IllegalStateException("full");
      }
      End.reap(own.sendCq);
    }
  }

  private record Copier(MemorySegment source, MemorySegment target, MemorySegment peer, int bytes)
      implements Side {
    Copier(MemorySegment own, MemorySegment peer, int bytes) {
      this(own.asSlice(0, bytes), own.asSlice(bytes, bytes), peer.asSlice(bytes, bytes), bytes);
    }

    @Override
    public void write(int count) {
      long body = (long) bytes - Long.BYTES;
      MemorySegment.copy(source, 0, peer, 0, body);
      LONG.setRelease(peer, body, (long) count);
    }
  }

  /** One round trip through two devices. */
  @Benchmark
  public void rcWriteRoundTrip(Devices table) {
    table.roundTrip();
  }

  /** One round trip of plain copies. */
  @Benchmark
  public void copyRoundTrip(Memory table) {
    table.roundTrip();
  }
}
