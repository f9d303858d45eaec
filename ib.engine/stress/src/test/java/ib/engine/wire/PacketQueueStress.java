package ib.engine.wire;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** D5: packets that arrive from several threads. */
public class PacketQueueStress {
  private static final PacketOwner NOBODY =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {}

        @Override
        protected Packet replicate(Packet original) {
          return null;
        }
      };

  static Packet packet(int psn) {
    Packet p = new Packet(NOBODY);
    p.psn = psn;
    return p;
  }

  /** Takes all packets; the digits are those of one sender, then of the other. */
  static void takeAll(PacketQueue q, II_Result r) {
    for (Packet p = q.peek(); p != null; p = q.peek()) {
      q.remove();
      if (p.psn < 3) {
        r.r1 = 10 * r.r1 + p.psn;
      } else {
        r.r2 = 10 * r.r2 + p.psn;
      }
    }
  }

  /** Two senders, two packets each: all arrive, and each sender's packets in order. */
  @JCStressTest
  @Outcome(id = "12, 34", expect = ACCEPTABLE, desc = "all, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost or out of order")
  @State
  public static class TwoSenders {
    private final PacketQueue q = new PacketQueue();
    private final Packet[] p = {packet(1), packet(2), packet(3), packet(4)};

    @Actor
    public void first() {
      q.push(p[0]);
      q.push(p[1]);
    }

    @Actor
    public void second() {
      q.push(p[2]);
      q.push(p[3]);
    }

    @Arbiter
    public void owner(II_Result r) {
      takeAll(q, r);
    }
  }

  /** The claim holder adds to its inlet and takes, while another thread pushes. */
  @JCStressTest
  @Outcome(id = "12, 34", expect = ACCEPTABLE, desc = "all, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost or out of order")
  @State
  public static class OwnerAndSender {
    private final PacketQueue q = new PacketQueue();
    private final Packet[] p = {packet(1), packet(2), packet(3), packet(4)};
    private final II_Result early = new II_Result();

    @Actor
    public void sender() {
      q.push(p[0]);
      q.push(p[1]);
    }

    @Actor
    public void owner() {
      q.add(p[2]);
      takeAll(q, early);
      q.add(p[3]);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = early.r1;
      r.r2 = early.r2;
      takeAll(q, r);
    }
  }

  /** Canary: pushed by reading and writing the top. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "both")
  @Outcome(expect = FORBIDDEN, desc = "lost")
  @State
  public static class CanaryTornPush {
    private volatile Packet stack;
    private final Packet one = packet(1);
    private final Packet two = packet(2);

    private void push(Packet p) {
      p.next = stack;
      stack = p;
    }

    @Actor
    public void first() {
      push(one);
    }

    @Actor
    public void second() {
      push(two);
    }

    @Arbiter
    public void owner(I_Result r) {
      for (Packet p = stack; p != null; p = p.next) {
        r.r1++;
      }
    }
  }
}
