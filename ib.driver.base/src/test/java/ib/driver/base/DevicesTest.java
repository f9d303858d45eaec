package ib.driver.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("all slots of a driver: order, names, the last good configuration, the end")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DevicesTest {
  private final Bench bench = new Bench();

  @AfterEach
  void nothingLeft() {
    bench.devices.stop();
    assertEquals(List.of(), bench.devices.slots());
    assertTrue(bench.offered.isEmpty(), bench.offered.toString());
  }

  @Test
  @DisplayName(
      "F25: a wrong value does not change the running device; the error names key, value "
          + "and device")
  void lastGood() {
    bench.configure("a");
    bench.take();
    bench.configure("a", "colour", "7");
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.errors.size());
    String error = bench.errors.getFirst();
    assertTrue(error.contains("key colour is '7'") && error.contains("a goes on"), error);
    assertTrue(bench.offered.get("a").plugged());
  }

  @Test
  @DisplayName("F25: a name in use is refused, and taken as soon as it is free")
  void nameInUse() {
    bench.configure("a", "name", "x");
    bench.take();
    bench.configure("b", "name", "x");
    assertEquals(List.of(), bench.take());
    assertTrue(bench.errors.getFirst().contains("in use by " + Bench.PID + "~a"));
    bench.log.clear();
    bench.devices.delete(Bench.PID + "~a");
    bench.until("x in");
    assertEquals(1, bench.errors.size(), bench.errors.toString());
  }

  @Test
  @DisplayName("B15: the end of a bundle waits in the graph only, for slots and for their threads")
  void stopWaitsInTheGraph() {
    CountDownLatch adding = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    bench.adding =
        name -> {
          adding.countDown();
          await(go);
        };
    bench.configure("a");
    await(adding);
    List<String> refused = new CopyOnWriteArrayList<>();
    Waits bounded = bench.waits;
    bench.waits =
        (target, rank, limitNs) -> {
          refused.add(target.text());
          List<Thread> cycle = new ArrayList<>(List.of(Thread.currentThread()));
          target.holders(cycle::add);
          cycle.add(Thread.currentThread());
          return End.of(cycle);
        };
    bench.devices.stop();
    String slot = "the worker of slot " + Bench.PID + "~a";
    assertEquals(List.of(slot, slot, "the end of thread ib-slot-a"), refused);
    assertEquals(2, bench.errors.size(), bench.errors.toString());
    assertTrue(bench.errors.getFirst().contains("waits, in the end, for the caller"));
    bench.waits = bounded;
    go.countDown();
    bench.until("down a");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName(
      "expected devices are plugged in the order of their PIDs, in whatever order they " + "arrive")
  void order() {
    List<String> names = List.of("a", "b", "c", "d");
    bench.devices.expect(names.stream().map(n -> Bench.PID + "~" + n).toList());
    names.reversed().forEach(bench::configure);
    List<String> announced =
        bench.take().stream().filter(line -> line.startsWith("announce")).toList();
    assertEquals(names.stream().map(n -> "announce " + n).toList(), announced);
  }

  @Test
  @DisplayName(
      "CC-22: the driver unplugs its devices last in, first out, and plugs none afterwards")
  void lifo() {
    for (String name : List.of("a", "b", "c")) {
      bench.configure(name);
      bench.take();
    }
    bench.devices.stop();
    List<String> down = bench.log.stream().filter(line -> line.startsWith("down")).toList();
    assertEquals(List.of("down c", "down b", "down a"), down);
    bench.configure("late");
    assertEquals(List.of(), bench.devices.slots());
  }

  @Test
  @DisplayName("F35: a request that comes late starts no thread after the end")
  void lateThread() {
    bench.configure("a");
    bench.take();
    Slot<Bench.Config> slot = bench.devices.slots().getFirst();
    bench.devices.stop();
    AtomicBoolean ran = new AtomicBoolean();
    bench.devices.start(slot, () -> ran.set(true));
    bench.devices.later(slot, 0, () -> ran.set(true));
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(t -> t.getName().equals("ib-slot-a")));
    assertFalse(ran.get());
  }

  @Test
  @DisplayName(
      "turns: no device waits for later ones; a missing device delays the others only once")
  void turns() {
    Turns turns = new Turns(1_000_000); // patience of a millisecond
    turns.expect(List.of("a", "b", "c"));
    turns.await("a");
    turns.await("b"); // "a" does not come: the patience of all ends
    turns.await("c");
    Turns patient = new Turns(60_000_000_000L);
    patient.expect(List.of("a", "b"));
    CompletableFuture<Void> second =
        CompletableFuture.runAsync(() -> patient.await("b"), Thread::startVirtualThread);
    assertFalse(second.isDone());
    patient.over("a");
    second.join();
    patient.expect(List.of("a"));
    CompletableFuture<Void> third =
        CompletableFuture.runAsync(() -> patient.await("b"), Thread::startVirtualThread);
    patient.end();
    third.join();
  }

  @Test
  @DisplayName(
      "F25: values are read strictly: all wrong ones are reported at once, with what is "
          + "allowed")
  void settings() {
    Settings good = new Settings(Map.of("NAME", "x1", "service.pid", "p"), Set.of("name"));
    assertEquals("x1", good.label("name", "y"));
    good.end("i");
    Settings bad = new Settings(Map.of("name", "1x", "nmae", "x"), Set.of("name"));
    bad.label("name", "y");
    IbInvalidException e = assertThrows(IbInvalidException.class, () -> bad.end("i"));
    assertTrue(e.getMessage().contains("key 'nmae' is unknown"), e.getMessage());
    assertTrue(e.getMessage().contains("key name is '1x'"), e.getMessage());
    assertTrue(e.getMessage().contains("a letter, then"), e.getMessage());
  }
}
