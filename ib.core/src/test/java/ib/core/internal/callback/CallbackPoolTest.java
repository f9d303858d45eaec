package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.internal.waits.WaitGraph;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.testing.Wait;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("2.6-4: the end of the pool is waited for in the graph")
class CallbackPoolTest {
  private final WaitGraph graph = new WaitGraph();
  private final CallbackPool pool = new CallbackPool();

  /** What a callback on the pool waits for: that the test's thread says so. */
  private static final class Word implements Waits.Target {
    private final Thread speaker = Thread.currentThread();
    volatile boolean said;

    @Override
    public boolean over() {
      return said;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      to.accept(speaker);
    }

    @Override
    public String text() {
      return "a word";
    }
  }

  private boolean somebodyWaits() {
    graph.leaf().lock();
    try {
      return !graph.waits().isEmpty();
    } finally {
      graph.leaf().unlock();
    }
  }

  @Test
  @DisplayName("CC-17: closed by a callback on it, it does not wait for that")
  void inside() {
    AtomicReference<End> end = new AtomicReference<>();
    pool.workqueue(() -> end.set(pool.close(graph)));
    Wait.until(() -> end.get() != null);
    assertEquals(End.Kind.INSIDE, end.get().kind());
    assertEquals(End.Kind.DONE, pool.close(graph).kind());
  }

  @Test
  @DisplayName("B15: closed by a thread for which a callback on it waits, it does not wait")
  void crossed() {
    Word word = new Word();
    AtomicReference<End> heard = new AtomicReference<>();
    pool.workqueue(() -> heard.set(graph.await(word, Waits.Rank.CLOSES, Long.MAX_VALUE)));
    Wait.until(this::somebodyWaits);
    assertEquals(End.Kind.REFUSED, pool.close(graph).kind());
    word.said = true;
    assertEquals(End.Kind.DONE, pool.close(graph).kind());
    assertEquals(End.DONE, heard.get());
  }

  @Test
  @DisplayName("I4: closed by any other thread, it waits until the last callback has returned")
  void waits() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<String> said = new AtomicReference<>("nothing");
    pool.workqueue(
        () -> {
          inside.countDown();
          Wait.until(() -> go.getCount() == 0);
          said.set("returned");
        });
    Wait.on(inside);
    var closing = Wait.start(() -> assertEquals(End.Kind.DONE, pool.close(graph).kind()));
    Wait.until(this::somebodyWaits);
    go.countDown();
    Wait.end(closing);
    assertEquals("returned", said.get());
  }
}
