package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.Serial;
import ib.core.testing.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, V6: handlers on threads of each kind, in an order of their own")
class RouletteTest {
  private static final int QUEUES = 8;

  /** A task that says who ran it. */
  private static final class Task extends Serial {
    private final int number;
    private final List<String> order;
    private final Set<String> kinds;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();

    Task(CompletionVector vector, int number, List<String> order, Set<String> kinds) {
      super(vector);
      this.number = number;
      this.order = order;
      this.kinds = kinds;
    }

    @Override
    protected void call() {
      if (inside.incrementAndGet() > 1) {
        together.incrementAndGet();
      }
      order.add("" + number);
      Thread me = Thread.currentThread();
      boolean vector = me.getName().equals("vector");
      kinds.add(me.isVirtual() ? "virtual" : vector ? "vector" : "platform");
      inside.decrementAndGet();
      runs.incrementAndGet();
    }
  }

  private final List<String> order = new CopyOnWriteArrayList<>();
  private final Set<String> kinds = ConcurrentHashMap.newKeySet();
  private final CompletionVector vector = new CompletionVector("vector", new Roulette("vector", 1));
  private final List<Task> tasks =
      IntStream.range(0, QUEUES).mapToObj(i -> new Task(vector, i, order, kinds)).toList();

  @AfterEach
  void close() {
    vector.close();
  }

  private boolean all(Predicate<Task> is) {
    return tasks.stream().allMatch(is);
  }

  @Test
  @DisplayName("S23, S25: each kind of thread runs tasks; each task runs once each time, alone")
  void kinds() {
    vector.start();
    for (int round = 1; round <= 30; round++) {
      int expected = round;
      tasks.forEach(Serial::schedule);
      Wait.until(() -> all(t -> t.runs.get() == expected));
    }
    assertEquals(Set.of("vector", "platform", "virtual"), kinds);
    assertTrue(all(t -> t.together.get() == 0));
  }

  @Test
  @DisplayName("S19: tasks that wait together run in another order; a seed has one order")
  void order() {
    List<String> first = chosen(7);
    assertEquals(first, chosen(7), "the same seed");
    List<String> arrived = IntStream.range(0, QUEUES).mapToObj(String::valueOf).toList();
    assertNotEquals(arrived, first);
    assertEquals(Set.copyOf(arrived), Set.copyOf(first));
  }

  /** {@return the order in which a roulette has the tasks run, as they reach their threads} */
  private List<String> chosen(long seed) {
    List<Serial> places = new ArrayList<>();
    List<Serial> all =
        IntStream.range(0, QUEUES)
            .mapToObj(
                i ->
                    (Serial)
                        new Serial(serial -> {}) {
                          @Override
                          protected void call() {}

                          @Override
                          public void arrived() {
                            places.add(this);
                          }
                        })
            .toList();
    link(all);
    Random random = new Random(seed);
    new Roulette(random, List.of(Serial::arrived)).run(all.getFirst());
    return places.stream().map(s -> String.valueOf(all.indexOf(s))).toList();
  }

  private static void link(List<Serial> all) {
    for (int i = 1; i < all.size(); i++) {
      all.get(i - 1).next(all.get(i));
    }
  }
}
