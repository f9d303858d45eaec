package ib.engine.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerHeapTest {
  private static final int TIMERS = 500;

  private static final class Due extends Timer {
    private final long waitNs;
    private final List<Long> expired;
    private boolean cancelled;

    Due(long waitNs, List<Long> expired) {
      this.waitNs = waitNs;
      this.expired = expired;
    }

    @Override
    protected long durationNs() {
      return waitNs;
    }

    @Override
    protected void expired() {
      expired.add(waitNs);
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  @DisplayName("C: timers expire in the order in which they are due, also after a purge")
  void order(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TimerHeap heap = new TimerHeap();
    List<Long> expired = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < TIMERS; i++) {
      Due timer = new Due(random.nextInt(1, 10_000), expired);
      timer.cancelled = random.nextInt(3) == 0;
      heap.add(timer, 0);
      if (!timer.cancelled) {
        expected.add(timer.waitNs);
      }
    }
    heap.purge();
    expected.sort(null);
    assertEquals(expected.size(), heap.size());
    for (int i = 0; i < expected.size(); i = expired.size()) {
      assertEquals(expected.get(i), heap.earliestNs());
      assertEquals(0, heap.expire(expected.get(i) - 1), "nothing before its time");
      heap.expire(expected.get(i) + random.nextInt(100));
      assertEquals(expected.subList(0, expired.size()), expired);
    }
    assertEquals(Long.MAX_VALUE, heap.earliestNs());
  }
}
