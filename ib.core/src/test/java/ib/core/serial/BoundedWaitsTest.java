package ib.core.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("2.6-4: waits without a graph, and how waits end")
class BoundedWaitsTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

  private final BoundedWaits waits = new BoundedWaits();

  /** Over when it was looked at a number of times; held by some threads. */
  private static final class Countdown implements Waits.Target {
    final List<Thread> holders;
    int looks;

    Countdown(int looks, Thread... holders) {
      this.looks = looks;
      this.holders = List.of(holders);
    }

    @Override
    public boolean over() {
      return looks-- <= 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      holders.forEach(to);
    }

    @Override
    public String text() {
      return "a countdown";
    }
  }

  private End await(Waits.Target target, long limitNs) {
    return waits.await(target, Waits.Rank.CLOSES, limitNs);
  }

  @Test
  @DisplayName("a wait ends when its target is over, however often it has to look")
  void looksAgain() {
    Countdown target = new Countdown(20, new Thread("other"));
    assertSame(End.DONE, await(target, LONG_NS));
    assertEquals(-1, target.looks);
  }

  @Test
  @DisplayName("a wait without time looks once, and may be done")
  void noTime() {
    assertSame(End.TIMEOUT, await(new Countdown(1), 0));
    assertSame(End.DONE, await(new Countdown(0), 0));
  }

  @Test
  @DisplayName("a wait ends when its time is over, not before")
  void timeIsOver() {
    long limit = TimeUnit.MILLISECONDS.toNanos(5);
    long start = System.nanoTime();
    assertSame(End.TIMEOUT, await(new Countdown(Integer.MAX_VALUE), limit));
    assertTrue(System.nanoTime() - start >= limit);
  }

  @Test
  @DisplayName("CC-17: who holds what it would wait for is inside, unless that is over already")
  void inside() {
    Thread me = Thread.currentThread();
    End end = await(new Countdown(Integer.MAX_VALUE, new Thread("other"), me), LONG_NS);
    assertEquals(new End(End.Kind.INSIDE, List.of(me, me)), end);
    assertSame(End.DONE, await(new Countdown(0, me), LONG_NS));
  }

  @Test
  @DisplayName("2.6-8c: an interrupt does not end a wait, and the flag is given back")
  void interrupt() {
    Thread.currentThread().interrupt();
    try {
      assertSame(End.DONE, await(new Countdown(3), LONG_NS));
    } finally {
      assertTrue(Thread.interrupted());
    }
    assertSame(End.DONE, await(new Countdown(3), LONG_NS));
    assertFalse(Thread.interrupted());
  }

  @Test
  @DisplayName("a wait that is given up while it waits ends with the cycle")
  void givenUp() {
    List<Thread> cycle = List.of(new Thread("a"), new Thread("b"), new Thread("a"));
    Countdown target = new Countdown(Integer.MAX_VALUE);
    int noticed = Integer.MAX_VALUE - 3;
    End end = BoundedWaits.poll(target, () -> target.looks > noticed ? null : cycle, LONG_NS);
    assertEquals(new End(End.Kind.REFUSED, cycle), end);
    assertEquals(noticed, target.looks);
  }

  @Test
  @DisplayName("only a refused wait tells another thread, and only what is over is done")
  void ends() {
    Thread a = new Thread("a");
    Thread b = new Thread("b");
    List<Thread> cycle = new ArrayList<>(List.of(a, b, a));
    End refused = End.of(cycle);
    cycle.clear();
    assertEquals(List.of(a, b, a), refused.cycle());
    assertEquals(End.Kind.REFUSED, refused.kind());
    assertSame(b, refused.other());
    End inside = End.of(List.of(a, a));
    assertEquals(End.Kind.INSIDE, inside.kind());
    assertNull(inside.other());
    assertNull(End.DONE.other());
    assertTrue(End.DONE.done());
    assertFalse(End.TIMEOUT.done());
    assertFalse(refused.done());
    assertFalse(inside.done());
  }
}
