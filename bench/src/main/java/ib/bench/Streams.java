package ib.bench;

import ib.core.verbs.SendFlags;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * 64 byte messages from one thread to another, sixteen at a time, each payload read (G3): RC SEND,
 * beside a ring of slots and Aeron IPC. A sender is never more than {@value #WINDOW} messages
 * ahead.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Streams {
  private static final int BATCH = 16;
  private static final int WINDOW = 128;
  private static final int BYTES = 64;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** What the receiver tells the sender, and how the sender waits for it. */
  @State(Scope.Benchmark)
  public static class Credit {
    private final MemorySegment consumed = Arena.ofAuto().allocate(256, 128);
    private final Patience patience = new Patience("credit");
    private long sent;

    void take() {
      sent += BATCH;
      while (sent - (long) LONG.getAcquire(consumed, 128L) > WINDOW) {
        patience.spin();
      }
      patience.rest();
    }

    void give(long all) {
      LONG.setRelease(consumed, 128L, all);
    }
  }

  /** RC, a receive for every message of the window. */
  @State(Scope.Benchmark)
  public static class Verbs {
    private TwoDevices devices;
    private End here;
    private End there;
    private Echo echo;
    private long got;
    private long sum;

    /** Connects and starts the receiver. */
    @Setup(Level.Trial)
    public void setUp(Credit credit) {
      devices = new TwoDevices();
      here = new End(devices.first(), BYTES);
      there = new End(devices.second(), BYTES);
      End.connect(here, there);
      for (int i = 0; i < WINDOW; i++) {
        there.receive(BYTES);
      }
      MemorySegment payload = there.memory.segment();
      echo =
          new Echo(
              () -> {
                int n = End.reap(there.recvCq);
                for (int i = 0; i < n; i++) {
                  sum += payload.get(ValueLayout.JAVA_LONG, 0);
                  there.receive(BYTES);
                }
                got += n;
                if (n > 0) {
                  credit.give(got);
                }
                return n > 0;
              });
    }

    /** Ends the receiver. */
    @TearDown(Level.Trial)
    public void tearDown() {
      echo.close();
      here.close();
      there.close();
      devices.close();
    }
  }

  /** A ring with the validity word in the slot. */
  @State(Scope.Benchmark)
  public static class Ring {
    private static final int SLOTS = 256;
    private final MemorySegment slots = Arena.ofAuto().allocate(SLOTS * BYTES, 128);
    private final MemorySegment mine = Arena.ofAuto().allocate(BYTES, 128);
    private final MemorySegment theirs = Arena.ofAuto().allocate(BYTES, 128);
    private Echo echo;
    private long put;
    private long got;
    private long sum;

    /** Starts the receiver. */
    @Setup(Level.Trial)
    public void setUp(Credit credit) {
      echo =
          new Echo(
              () -> {
                int n = 0;
                while (n < BATCH && (long) LONG.getAcquire(slots, slot(got)) == got + 1) {
                  MemorySegment.copy(slots, slot(got) + 8, theirs, 8, BYTES - 8);
                  sum += theirs.get(ValueLayout.JAVA_LONG, 8);
                  got++;
                  n++;
                }
                if (n > 0) {
                  credit.give(got);
                }
                return n > 0;
              });
    }

    /** Ends the receiver. */
    @TearDown(Level.Trial)
    public void tearDown() {
      echo.close();
    }

    private static long slot(long index) {
      return (index & SLOTS - 1) * BYTES;
    }

    private void put() {
      MemorySegment.copy(mine, 8, slots, slot(put) + 8, BYTES - 8);
      LONG.setRelease(slots, slot(put), put + 1);
      put++;
    }
  }

  /** Aeron, driven by the sender. */
  @State(Scope.Benchmark)
  public static class Ipc {
    private AeronIpc aeron;
    private ExclusivePublication out;
    private Echo echo;
    private final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(BYTES));
    private final Patience patience = new Patience("Aeron stream");
    private long sum;
    private int batches;

    /** Connects and starts the receiver. */
    @Setup(Level.Trial)
    public void setUp() {
      aeron = new AeronIpc();
      Subscription in = aeron.subscribe(3);
      out = aeron.publish(3);
      FragmentHandler handler = (buffer, offset, length, header) -> sum += buffer.getLong(offset);
      echo = new Echo(() -> in.poll(handler, BATCH) > 0);
    }

    /** Ends the receiver. */
    @TearDown(Level.Trial)
    public void tearDown() {
      echo.close();
      aeron.close();
    }
  }

  /** RC SEND, post lists of sixteen, the last one signaled. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void rcSend(Verbs verbs, Credit credit) {
    credit.take();
    End here = verbs.here;
    here.qp.wrStart();
    for (int i = 1; i <= BATCH; i++) {
      here.qp.wrId(i).wrFlags(i == BATCH ? SendFlags.SIGNALED : 0);
      here.qp.wrSend();
      here.qp.wrSetSge(here.lkey, here.address, BYTES);
    }
    if (here.qp.wrComplete() != 0) {
      throw new IllegalStateException("the send queue is full");
    }
    End.reap(here.sendCq);
  }

  /** The own ring. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void ownRing(Ring ring, Credit credit) {
    credit.take();
    for (int i = 0; i < BATCH; i++) {
      ring.put();
    }
  }

  /** Aeron IPC. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void aeronIpc(Ipc ipc) {
    for (int i = 0; i < BATCH; i++) {
      while (ipc.out.offer(ipc.message, 0, BYTES) < 0) {
        ipc.aeron.work();
        ipc.patience.spin();
      }
    }
    ipc.patience.rest();
    if (++ipc.batches % BATCH == 0) {
      ipc.aeron.work();
    }
  }
}
