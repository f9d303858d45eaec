package ib.core.internal.event;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import ib.core.verbs.EventType;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** S12, CC-16: the ring of events. */
public class EventRingStress {
  /** {@return the polled event, port and time in one number; 0 for none} */
  static int poll(EventRing ring) {
    EventRing.Entry entry = new EventRing.Entry();
    return ring.poll(entry) ? 10 * entry.port + (int) entry.timeNs : 0;
  }

  static int offer(EventRing ring) {
    return ring.offer(EventType.PORT_ACTIVE, 7, 9) == EventRing.Offer.QUEUED ? 1 : 0;
  }

  /** A polled event is whole. */
  @JCStressTest
  @Outcome(
      id = {"0, 79", "79, 0"},
      expect = ACCEPTABLE,
      desc = "not yet, or whole")
  @Outcome(expect = FORBIDDEN, desc = "half an event, lost or twice")
  @State
  public static class OfferAndPoll {
    private final EventRing ring = new EventRing(2);

    @Actor
    public void poster() {
      offer(ring);
    }

    @Actor
    public void poller(II_Result r) {
      r.r1 = poll(ring);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = poll(ring);
    }
  }

  /** After a close the ring accepts no event. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "accepted before the close, or refused")
  @Outcome(expect = FORBIDDEN, desc = "accepted after the close")
  @State
  public static class OfferAndClose {
    private final EventRing ring = new EventRing(2);

    @Actor
    public void poster(II_Result r) {
      r.r1 = offer(ring);
    }

    @Actor
    public void closer(II_Result r) {
      ring.close();
      r.r2 = ring.size();
    }
  }

  /** Canary: the closed bit and the tail are two words. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "accepted before the close, or refused")
  @Outcome(expect = FORBIDDEN, desc = "accepted after the close")
  @State
  public static class CanaryTwoWords {
    private volatile boolean closed;
    private final AtomicInteger tail = new AtomicInteger();

    @Actor
    public void poster(II_Result r) {
      if (!closed) {
        tail.getAndIncrement();
        r.r1 = 1;
      }
    }

    @Actor
    public void closer(II_Result r) {
      closed = true;
      r.r2 = tail.get();
    }
  }
}
