package ib.core.internal.event;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.EventType;

/** Small scenarios around {@link EventRing}. */
public final class EventRingScenarios {
  private EventRingScenarios() {}

  /** What posters were told, and what the poller heard: the time stands for the event. */
  abstract static class Ring implements Scenario {
    final EventRing ring = new EventRing(2);
    private final EventRing.Entry entry = new EventRing.Entry();
    private final boolean[] queued = new boolean[8];
    private final boolean[] heard = new boolean[8];
    private int lost;
    private int refused;
    private int toldLost;
    private int last;

    void offer(int event) {
      switch (ring.offer(EventType.PORT_ACTIVE, 1, event)) {
        case QUEUED -> queued[event] = true;
        case LOST -> lost++;
        case CLOSED -> refused++;
      }
    }

    void poll() {
      if (!ring.poll(entry)) {
        return;
      }
      if (entry.type == null) {
        toldLost += entry.lost;
        return;
      }
      int event = (int) entry.timeNs;
      if (heard[event]) {
        Interleavings.fail("heard twice: " + event);
      }
      heard[event] = true;
    }

    /** Losses by one thread are told before what it offers next. */
    void pollInOrder() {
      poll();
      if (entry.type != null && entry.timeNs < last) {
        Interleavings.fail(entry.timeNs + " after " + last);
      }
      last = (int) entry.timeNs;
    }

    int refused() {
      return refused;
    }

    @Override
    public void check() {
      while (ring.hasWork()) {
        poll();
      }
      for (int i = 0; i < queued.length; i++) {
        if (queued[i] != heard[i]) {
          throw new AssertionError("S12: event " + i + " accepted and not heard, or refused");
        }
      }
      if (lost != toldLost || ring.size() != 0) {
        throw new AssertionError("S12: lost " + lost + ", told of " + toldLost);
      }
    }
  }

  /** Two posters and the poller share two slots. */
  public static final class TwoPosters extends Ring {
    @Override
    public void setUp() {
      Interleavings.spawn(
          "a",
          false,
          () -> {
            offer(1);
            offer(2);
          });
      Interleavings.spawn("b", false, () -> offer(3));
      Interleavings.spawn(
          "poller",
          false,
          () -> {
            poll();
            poll();
          });
    }
  }

  /** One poster is faster than the poller: what is lost is told where it was lost. */
  public static final class Losses extends Ring {
    @Override
    public void setUp() {
      offer(0);
      offer(1);
      Interleavings.spawn(
          "poster",
          false,
          () -> {
            offer(2);
            offer(3);
          });
      Interleavings.spawn(
          "poller",
          false,
          () -> {
            pollInOrder();
            pollInOrder();
            pollInOrder();
          });
    }
  }

  /** The ring is closed among offers: what was accepted comes out, what was refused does not. */
  public static final class Close extends Ring {
    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> offer(1));
      Interleavings.spawn("b", false, () -> offer(2));
      Interleavings.spawn(
          "closer",
          false,
          () -> {
            ring.close();
            int before = refused();
            offer(3);
            if (refused() == before) {
              Interleavings.fail("CC-16: accepted after the close");
            }
          });
    }

    @Override
    public void check() {
      super.check();
      if (!ring.isDone()) {
        throw new AssertionError("CC-16: closed, polled and not done");
      }
    }
  }
}
