package ib.core.internal.waits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.End;
import ib.core.serial.EndOf;
import ib.core.serial.Waits;
import ib.core.serial.Waits.Rank;
import ib.core.testing.Wait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("B15: the wait-for graph")
class WaitGraphTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

  private final WaitGraph graph = new WaitGraph();

  @AfterEach
  void nobodyIsLeft() {
    assertFalse(graph.leaf().isLocked());
    assertTrue(graph.waits().isEmpty());
  }

  /** Something that one thread has. */
  private static final class Thing implements Waits.Target {
    volatile boolean over;
    volatile @Nullable Thread holder;

    @Override
    public boolean over() {
      return over;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = holder;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "a thing";
    }
  }

  /** A thread that waits. */
  private final class Waiter {
    final CompletableFuture<End> end = new CompletableFuture<>();
    final Thread thread;

    Waiter(Thing has, Thing wants, Rank rank) {
      thread =
          Thread.ofPlatform()
              .daemon()
              .unstarted(
                  () -> {
                    End e = graph.await(wants, rank, LONG_NS);
                    has.over = true;
                    end.complete(e);
                  });
      has.holder = thread;
    }

    void start() {
      thread.start();
    }

    void startAndWait() {
      start();
      Wait.until(() -> waiting(thread));
    }

    End end() {
      try {
        return end.get(10, TimeUnit.MINUTES);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private boolean waiting(Thread thread) {
    graph.leaf().lock();
    try {
      return graph.waits().containsKey(thread);
    } finally {
      graph.leaf().unlock();
    }
  }

  @Test
  @DisplayName("CC-17: a thread that would wait for its own callback is refused at once")
  void inside() {
    Thing mine = new Thing();
    mine.holder = Thread.currentThread();
    assertEquals(End.Kind.INSIDE, graph.await(mine, Rank.CLOSES, LONG_NS).kind());
  }

  @Test
  @DisplayName("what is over is not looked for, even where it would close a cycle")
  void over() {
    Thing mine = new Thing();
    mine.holder = Thread.currentThread();
    mine.over = true;
    assertEquals(End.Kind.DONE, graph.await(mine, Rank.CLOSES, LONG_NS).kind());
  }

  @Test
  @DisplayName("a wait has an end: the time")
  void timeout() {
    assertEquals(
        End.Kind.TIMEOUT,
        graph.await(new Thing(), Rank.CLOSES, TimeUnit.MILLISECONDS.toNanos(5)).kind());
  }

  @Test
  @DisplayName("2.6-8c: an interrupt does not end a wait; the flag is given back")
  void interrupted() {
    Thing thing = new Thing();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread t =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  End e = graph.await(thing, Rank.CLOSES, LONG_NS);
                  flag.complete(e.done() && Thread.currentThread().isInterrupted());
                });
    Wait.until(() -> waiting(t));
    t.interrupt();
    Wait.until(() -> !t.isAlive() || !t.isInterrupted());
    assertFalse(flag.isDone());
    thing.over = true;
    assertTrue(flag.orTimeout(5, TimeUnit.MINUTES).join());
  }

  @ParameterizedTest(name = "{0} waits, {1} comes: the first yields {2}")
  @DisplayName("the lowest rank yields; among equals the one that comes last")
  @CsvSource({
    "QUEUED, THROWS, true",
    "QUEUED, CLOSES, true",
    "QUEUED, SERVICE_GOES, true",
    "THROWS, CLOSES, true",
    "CLOSES, SERVICE_GOES, true",
    "SERVICE_GOES, STAYS, true",
    "QUEUED, QUEUED, false",
    "CLOSES, CLOSES, false",
    "THROWS, QUEUED, false",
    "CLOSES, THROWS, false",
    "SERVICE_GOES, CLOSES, false",
    "STAYS, SERVICE_GOES, false",
  })
  void ranks(Rank first, Rank second, boolean firstYields) {
    Thing a = new Thing();
    Thing b = new Thing();
    Waiter one = new Waiter(a, b, first);
    Waiter two = new Waiter(b, a, second);
    one.startAndWait();
    two.start();
    Waiter victim = firstYields ? one : two;
    Waiter other = firstYields ? two : one;
    End end = victim.end();
    assertEquals(End.Kind.REFUSED, end.kind());
    assertEquals(List.of(victim.thread, other.thread, victim.thread), end.cycle());
    assertEquals(End.Kind.DONE, other.end().kind());
  }

  @Test
  @DisplayName("a chain of four: the lowest rank anywhere on the cycle yields, and only that one")
  void chain() {
    Thing[] things = {new Thing(), new Thing(), new Thing(), new Thing()};
    Rank[] ranks = {Rank.CLOSES, Rank.QUEUED, Rank.THROWS, Rank.CLOSES};
    Waiter[] waiters = new Waiter[4];
    for (int i = 0; i < 4; i++) {
      waiters[i] = new Waiter(things[i], things[(i + 1) % 4], ranks[i]);
    }
    for (int i = 0; i < 3; i++) {
      waiters[i].startAndWait();
    }
    waiters[3].start();
    assertEquals(5, waiters[1].end().cycle().size());
    for (int i : new int[] {0, 2, 3}) {
      assertEquals(End.Kind.DONE, waiters[i].end().kind());
    }
  }

  @Test
  @DisplayName("500 rings of two to six threads that wait at once: one yields, of the lowest rank")
  void rings() {
    Random random = new Random(20261122);
    for (int round = 0; round < 500; round++) {
      int size = 2 + random.nextInt(5);
      List<Thing> things = Stream.generate(Thing::new).limit(size).toList();
      List<Rank> ranks =
          random.ints(size, 0, Rank.STAYS.ordinal()).mapToObj(r -> Rank.values()[r]).toList();
      List<Waiter> waiters = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        waiters.add(new Waiter(things.get(i), things.get((i + 1) % size), ranks.get(i)));
      }
      waiters.forEach(Waiter::start);
      List<Rank> refused = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        if (waiters.get(i).end().kind() == End.Kind.REFUSED) {
          refused.add(ranks.get(i));
        }
      }
      assertEquals(List.of(Collections.min(ranks)), refused, "round " + round + " of " + ranks);
    }
  }

  @Test
  @DisplayName("what a thread will have to wait for counts from the beginning")
  void owed() {
    Thing a = new Thing();
    Thread owner = new Thread("owner");
    a.holder = owner;
    Thread me = Thread.currentThread();
    graph.owed(
        (thread, least, to) -> {
          if (thread.equals(owner) && Rank.CLOSES.compareTo(least) >= 0) {
            to.accept(me);
          }
        });
    End end = graph.await(a, Rank.CLOSES, LONG_NS);
    assertEquals(List.of(me, owner, me), end.cycle());
    assertEquals(End.TIMEOUT, graph.await(a, Rank.SERVICE_GOES, 1), "the owner's gives way, later");
  }

  @Test
  @DisplayName("a target that gets over after the spins closes no cycle either")
  void overAfterTheSpins() {
    Thing mine = new Thing();
    mine.holder = Thread.currentThread();
    mine.over = true;
    assertEquals(End.DONE, new WaitGraph(0).await(mine, Rank.CLOSES, LONG_NS));
  }

  /** A wait of a thread that never runs, for what another one has. */
  private WaitGraph.Wait wait(Thread who, Thread holder, Rank rank, List<List<Thread>> told) {
    Thing thing = new Thing();
    thing.holder = holder;
    return new WaitGraph.Wait(who, thing, rank, told::add);
  }

  @Test
  @DisplayName("S28: where all of a cycle stay, none is given up: the watchdog has to help")
  void allStay() {
    Thread one = new Thread("one");
    Thread two = new Thread("two");
    List<List<Thread>> told = new ArrayList<>();
    WaitGraph.Wait first = wait(one, two, Rank.STAYS, told);
    WaitGraph.Wait second = wait(two, one, Rank.STAYS, told);
    graph.enter(first);
    assertEquals(List.of(), graph.makeWay(second));
    assertEquals(List.of(), told);
    assertEquals(Set.of(one), graph.waits().keySet());
    graph.leave(first);
  }

  @Test
  @DisplayName(
      "a wait that is given up is out of the graph, and its thread is woken with the cycle")
  void givenUpIsTold() {
    Thread one = new Thread("one");
    Thread two = new Thread("two");
    Thread three = new Thread("three");
    List<List<Thread>> told = new ArrayList<>();
    graph.enter(wait(two, three, Rank.QUEUED, told));
    WaitGraph.Wait stays = wait(three, one, Rank.CLOSES, told);
    graph.enter(stays);
    assertEquals(List.of(), graph.makeWay(wait(one, two, Rank.THROWS, told)));
    assertEquals(List.of(List.of(two, three, one, two)), told);
    assertEquals(Set.of(three), graph.waits().keySet());
    graph.leave(stays);
  }

  @Test
  @DisplayName("cycle() returns the threads of a cycle, the caller first and last, or no thread")
  void askedForACycle() {
    Thread one = new Thread("one");
    Thread two = new Thread("two");
    WaitGraph.Wait only = wait(two, one, Rank.CLOSES, new ArrayList<>());
    Thing held = new Thing();
    held.holder = two;
    assertEquals(List.of(), graph.cycle(one, held));
    graph.enter(only);
    assertEquals(List.of(one, two, one), graph.cycle(one, held));
    graph.leave(only);
  }

  @Test
  @DisplayName("a fence or a close waits 60 s at the most, or as long as was set")
  void deadline() {
    assertEquals(TimeUnit.SECONDS.toNanos(60), graph.deadlineNs());
    graph.deadlineNs(7);
    assertEquals(7, graph.deadlineNs());
  }

  @Test
  @DisplayName("the end of a thread: over once it ended, held by the thread, named after it")
  void endOfAThread() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    Thread t = Thread.ofPlatform().name("worker").daemon().start(() -> Wait.on(go));
    EndOf end = new EndOf(t);
    List<Thread> holders = new ArrayList<>();
    end.holders(holders::add);
    assertEquals(List.of(t), holders);
    assertEquals("the end of thread worker", end.text());
    assertFalse(end.over());
    go.countDown();
    t.join();
    assertTrue(end.over());
  }
}
