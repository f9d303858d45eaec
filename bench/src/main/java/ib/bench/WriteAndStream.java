package ib.bench;

import ib.core.verbs.SendFlags;
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

/** RDMA write, one at a time and windowed, and SEND streaming, driven by one thread (G2-G4). */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WriteAndStream {
  private static final int BATCH = 16;

  /** Message bytes. */
  @Param({"64", "4096", "65536", "1048576"})
  public int bytes;

  private TwoDevices devices;
  private End here;
  private End there;

  /** Connects. */
  @Setup(Level.Trial)
  public void setUp() {
    devices = new TwoDevices();
    here = new End(devices.first(), bytes);
    there = new End(devices.second(), bytes);
    End.connect(here, there);
  }

  /** Closes. */
  @TearDown(Level.Trial)
  public void tearDown() {
    here.close();
    there.close();
    devices.close();
  }

  /** One write, post to completion (G2). */
  @Benchmark
  public void rcWriteOneAtATime() {
    here.write(there, bytes, SendFlags.SIGNALED);
    End.reapOne(here.sendCq);
  }

  /** Sixteen writes in one batch, the last one signaled (G2, G4). */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void rcWriteWindowed() {
    here.qp.wrStart();
    for (int i = 1; i <= BATCH; i++) {
      here.qp.wrId(i).wrFlags(i == BATCH ? SendFlags.SIGNALED : 0);
      here.qp.wrRdmaWrite(there.memory.rkey(), there.address);
      here.qp.wrSetSge(here.lkey, here.address, bytes);
    }
    if (here.qp.wrComplete() != 0) {
      throw new IllegalStateException("full");
    }
    End.reapOne(here.sendCq);
  }

  /**
   * Sixteen sends in one batch into sixteen receives (G3), post to the last completion of both
   * ends.
   */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void rcSendStream() {
    for (int i = 0; i < BATCH; i++) {
      there.receive(bytes);
    }
    here.qp.wrStart();
    for (int i = 1; i <= BATCH; i++) {
      here.qp.wrId(i).wrFlags(i == BATCH ? SendFlags.SIGNALED : 0);
      here.qp.wrSend();
      here.qp.wrSetSge(here.lkey, here.address, bytes);
    }
    if (here.qp.wrComplete() != 0) {
      throw new IllegalStateException("full");
    }
    End.reapOne(here.sendCq);
    for (int got = 0; got < BATCH; ) {
      got += End.reap(there.recvCq);
    }
  }
}
