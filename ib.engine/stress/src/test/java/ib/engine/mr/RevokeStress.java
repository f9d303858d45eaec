package ib.engine.mr;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.core.verbs.Access;
import ib.engine.run.ClaimToken;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** a region is deregistered while a packet is written into it. */
public class RevokeStress {
  private static final long USERS = 99;
  private static final MemorySegment PACKET = MemorySegment.ofArray(new long[] {1});

  /** The part that both tests share: a write by the thread that holds a claim. */
  static class Region {
    final MemorySegment memory = MemorySegment.ofArray(new long[1]);
    final Key key = new Key(1, 1, memory);
    final ClaimToken token = new ClaimToken();
    private final Payload payload = new Payload();

    Region() {
      payload.add(PACKET, 0, 8);
      MemorySegment[] segments = {memory};
      key.open(key.begin(false), 1, segments, new long[] {0, 8}, Access.REMOTE_WRITE);
    }

    void write() {
      if (token.schedule()) {
        do {
          long version = key.admit(1, 1, this, Access.REMOTE_WRITE, 0, 8);
          if (version != Key.REFUSED) {
            Copier.toRegion(payload, key, version, 0);
          }
        } while (!token.release());
      }
    }

    void userWritesAgain() {
      memory.set(ValueLayout.JAVA_LONG, 0, USERS);
    }

    void result(I_Result r) {
      r.r1 = (int) memory.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** After the revocation and one check of the claim no packet is written to the memory. */
  @JCStressTest
  @Outcome(id = "99", expect = ACCEPTABLE, desc = "no write after the fence")
  @Outcome(expect = FORBIDDEN, desc = "written after deregistration")
  @State
  public static class Fenced extends Region {
    @Actor
    public void engine() {
      write();
    }

    @Actor
    public void user() {
      key.revoke();
      if (token.claimed()) { // as in the queue pair's control path
        token.want();
        while (!token.tryClaimWanted()) {
          Thread.onSpinWait();
        }
        while (!token.release()) {
          Thread.onSpinWait();
        }
      }
      userWritesAgain();
    }

    @Arbiter
    public void after(I_Result r) {
      result(r);
    }
  }

  /** Canary: revoked without a wait for the thread that is writing. */
  @JCStressTest
  @Outcome(id = "99", expect = ACCEPTABLE, desc = "no write after the fence")
  @Outcome(expect = FORBIDDEN, desc = "written after deregistration")
  @State
  public static class CanaryNoFence extends Region {
    @Actor
    public void engine() {
      write();
    }

    @Actor
    public void user() {
      key.revoke();
      userWritesAgain();
    }

    @Arbiter
    public void after(I_Result r) {
      result(r);
    }
  }
}
