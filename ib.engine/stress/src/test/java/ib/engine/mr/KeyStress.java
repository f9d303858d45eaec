package ib.engine.mr;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A region is invalidated and registered elsewhere while a packet with its old key arrives. */
public class KeyStress {
  private static final MemorySegment PACKET = MemorySegment.ofArray(new long[] {1});

  /** Two places to register. */
  static class Places {
    final MemorySegment[] before = {MemorySegment.ofArray(new long[1])};
    final MemorySegment[] after = {MemorySegment.ofArray(new long[1])};
    final Payload payload = new Payload();

    Places() {
      payload.add(PACKET, 0, 8);
    }

    void result(I_Result r) {
      r.r1 = (int) after[0].get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** A packet may write the region of the old key, never that of the new key. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the new place is as it was")
  @Outcome(expect = FORBIDDEN, desc = "the old key has written to the new place")
  @State
  public static class Reopen extends Places {
    private final Key key = new Key(1, 1, before);

    public Reopen() {
      key.open(key.begin(false), 1, before, new long[] {0, 8}, Access.REMOTE_WRITE);
    }

    @Actor
    public void owner() {
      key.close(key.begin(true), 1);
      key.open(key.begin(false), 2, after, new long[] {0, 8}, Access.REMOTE_WRITE);
    }

    @Actor
    public void peer() {
      long version = key.admit(1, 1, this, Access.REMOTE_WRITE, 0, 8);
      if (version != Key.REFUSED) {
        Copier.toRegion(payload, key, version, 0);
      }
    }

    @Arbiter
    public void after(I_Result r) {
      result(r);
    }
  }

  /** Canary: the key is compared once, then the region is read, without a version. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the new place is as it was")
  @Outcome(expect = FORBIDDEN, desc = "the old key has written to the new place")
  @State
  public static class CanaryNoVersion extends Places {
    private volatile int number = 1;
    private volatile MemorySegment[] segments = before;

    @Actor
    public void owner() {
      number = 2;
      segments = after;
    }

    @Actor
    public void peer() {
      if (number == 1) {
        segments[0].set(ValueLayout.JAVA_LONG, 0, 1);
      }
    }

    @Arbiter
    public void after(I_Result r) {
      result(r);
    }
  }
}
