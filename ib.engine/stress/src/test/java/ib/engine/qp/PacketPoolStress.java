package ib.engine.qp;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.engine.wire.Packet;
import ib.engine.wire.PacketWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** D5: a sender that ran out of packets goes on when one comes back. */
public class PacketPoolStress {
  static Packet busy() {
    return new PacketPool(null, 1, 0).take();
  }

  /** Another thread frees the only packet while the claim holder finds no packet. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1", "1, 1"},
      expect = ACCEPTABLE,
      desc = "one of the two threads goes on")
  @Outcome(expect = FORBIDDEN, desc = "the sender stands still")
  @State
  public static class FreeAndStarve {
    private final PacketPool pool = new PacketPool(null, 1, 0);
    private final PacketWait wait = new PacketWait();
    private final Packet packet = pool.take();

    @Actor
    public void owner(II_Result r) {
      if (pool.take() != null) {
        r.r1 = 1;
        return;
      }
      wait.begin();
      r.r1 = pool.available() ? 1 : 0;
    }

    @Actor
    public void receiver(II_Result r) {
      packet.free();
      r.r2 = wait.waitingAfterFree() ? 1 : 0;
    }
  }

  /** A copy for a second receiver outlives the original: the packet is free after the copy. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the copy is still out")
  @Outcome(expect = FORBIDDEN, desc = "reclaimed while a copy refers to the payload")
  @State
  public static class CopyOutlivesOriginal {
    private final PacketPool pool = new PacketPool(null, 1, 0);
    private final Packet original = pool.take();

    @Actor
    public void wire() {
      pool.replicate(original);
      original.free();
    }

    @Actor
    public void owner(I_Result r) {
      r.r1 = (int) pool.reclaimed();
    }
  }

  /** Canary: the copies are checked first, then the original. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the copy is still out")
  @Outcome(expect = FORBIDDEN, desc = "reclaimed while a copy refers to the payload")
  @State
  public static class CanaryCopiesFirst {
    private final Packet original = PacketPoolStress.busy();
    private volatile int copies;

    @Actor
    public void wire() {
      copies = 1;
      original.free();
    }

    @Actor
    public void owner(I_Result r) {
      r.r1 = copies == 0 && !original.busy() ? 1 : 0;
    }
  }

  /** Canary: the same two checks without the memory fences. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1", "1, 1"},
      expect = ACCEPTABLE,
      desc = "one of the two threads goes on")
  @Outcome(expect = FORBIDDEN, desc = "the sender stands still")
  @State
  public static class CanaryNoFence {
    private static final VarHandle WAITING;

    static {
      try {
        WAITING =
            MethodHandles.lookup().findVarHandle(CanaryNoFence.class, "waiting", boolean.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private final PacketPool pool = new PacketPool(null, 1, 0);
    private final Packet packet = pool.take();
    private boolean waiting;

    @Actor
    public void owner(II_Result r) {
      WAITING.setRelease(this, true);
      r.r1 = pool.available() ? 1 : 0;
    }

    @Actor
    public void receiver(II_Result r) {
      packet.free();
      r.r2 = (boolean) WAITING.getAcquire(this) ? 1 : 0;
    }
  }
}
