package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbNoMemoryException;
import ib.driver.base.Devices;
import ib.driver.base.Slot;
import ib.driver.soft.FakeDevice.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@DisplayName("Configured instances: last good configuration, order, no lock while clients run")
final class SoftDevicesTest {
  private final World world = new World();

  @AfterEach
  void nothingLeft() {
    world.devices.stop();
    assertEquals(List.of(), world.devices.slots());
    assertTrue(world.slots.isEmpty(), world.slots.toString());
    assertEquals(
        0,
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.getName().startsWith("ib-slot-"))
            .count());
  }

  @Test
  @DisplayName("S27 S28 built, then announced; withdrawn, then taken down")
  void orderOfOne() {
    world.configure("a");
    assertEquals(List.of("up a", "announce a"), world.take());
    world.delete("a");
    assertEquals(List.of("withdraw a", "down a"), world.take());
  }

  @Test
  @DisplayName("CC-22 the driver stops last in, first out, by announcement, replugs counted")
  void lifo() {
    for (String name : List.of("a", "b", "c")) {
      world.configure(name);
      world.quiesce();
    }
    world.slots.get("b").unplug();
    world.slots.get("b").plug();
    world.take();
    world.devices.stop();
    assertEquals(
        List.of("withdraw b", "down b", "withdraw c", "down c", "withdraw a", "down a"), world.log);
  }

  @Test
  @DisplayName("CC-22 a device that is just being announced has its place in the order")
  void lifoWithAddsInFlight() throws InterruptedException {
    world.configure("a");
    world.quiesce();
    CountDownLatch adding = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    world.inAdd =
        name -> {
          adding.countDown();
          awaitLatch(go);
        };
    world.configure("b");
    awaitLatch(adding);
    Thread stopper = Thread.ofPlatform().start(world.devices::stop);
    world.configure("late"); // whatever comes first, nothing is left of it
    go.countDown();
    stopper.join(TimeUnit.MINUTES.toMillis(5));
    assertFalse(stopper.isAlive());
    assertTrue(
        world.log.indexOf("withdraw b") < world.log.indexOf("withdraw a"), world.log.toString());
    assertTrue(world.log.indexOf("announce b") < world.log.indexOf("withdraw b"));
  }

  @Test
  @DisplayName("F25 a bad value leaves the running device as it was, with one error")
  void keepsLastGood() {
    world.configure("a", "mtu", "1024");
    world.take();
    world.configure("a", "mtu", "1000");
    assertEquals(List.of(), world.take());
    assertEquals(1, world.errors.size(), world.errors.toString());
    String error = world.errors.getFirst();
    assertTrue(error.contains("key mtu is '1000'"), error);
    assertTrue(error.contains("512, 1024, 2048"), error);
    assertTrue(error.contains("a goes on with its last good configuration"), error);
    assertTrue(world.slots.get("a").plugged());
  }

  @Test
  @DisplayName("F25 a bad configuration that never was good: the device stays absent")
  void staysAbsent() {
    world.configure("a", "ports", "0");
    assertEquals(List.of(), world.take());
    assertTrue(world.slots.isEmpty());
    assertTrue(world.errors.getFirst().contains("the device stays absent"));
  }

  @Test
  @DisplayName("F25 a name in use: absent, one error, and there as soon as the name is free")
  void nameInUse() {
    world.configure("a", "name", "x");
    world.configure("b", "name", "x");
    assertEquals(List.of("up x", "announce x"), world.take());
    assertEquals(1, world.errors.size());
    assertTrue(world.errors.getFirst().contains("key name is 'x', in use by ib.driver.soft~a"));
    world.configure("a", "name", "y");
    awaitPlugged("y", "x");
    assertEquals(1, world.errors.size(), world.errors.toString());
  }

  @Test
  @DisplayName("F25 a GUID in use, also by a port's number")
  void guidInUse() {
    world.configure("a", "guid", "02c90300000a0010", "ports", "2");
    world.configure("b", "guid", "02c90300000a0012");
    world.quiesce();
    assertEquals(1, world.errors.size());
    assertTrue(world.errors.getFirst().contains("key guid is '02c90300000a0012', in use"));
    world.delete("a");
    awaitPlugged("b");
  }

  @Test
  @DisplayName("F25 a device of another driver is in the way")
  void nameInUseElsewhere() {
    world.elsewhere.put("rxe0", "device rxe0 of ib.driver.rxe");
    world.configure("a", "name", "rxe0");
    assertEquals(List.of(), world.take());
    assertTrue(world.errors.getFirst().contains("in use by device rxe0 of ib.driver.rxe"));
  }

  @Test
  @DisplayName("F25 an update into a conflict keeps what runs")
  void updateIntoConflict() {
    world.configure("a");
    world.configure("b");
    world.take();
    world.configure("b", "name", "a");
    assertEquals(List.of(), world.take());
    assertTrue(world.errors.getFirst().contains("b goes on with its last good configuration"));
    world.configure("b"); // what was refused is forgotten
    world.delete("a");
    world.quiesce();
    assertTrue(world.slots.get("b").plugged());
    assertEquals(1, world.slots.size());
  }

  @Test
  @DisplayName("F25 link and pkeys are changed live; the rest is unplug and plug")
  void liveOrReplug() {
    world.configure("a");
    world.take();
    world.configure("a", "link", "down", "pkeys", "8001");
    assertEquals(List.of("change a [false] [32769]"), world.take());
    world.configure("a", "link", "down", "pkeys", "8001");
    assertEquals(List.of(), world.take());
    world.configure("a", "mtu", "256");
    assertEquals(List.of("withdraw a", "down a", "up a", "announce a"), world.take());
  }

  @Test
  @DisplayName("S31 a slot stays while its device is unplugged and takes changes meanwhile")
  void slot() {
    world.configure("a");
    world.take();
    var slot = world.slots.get("a");
    assertEquals(true, world.told.get("a"));
    slot.unplug();
    slot.unplug();
    assertFalse(slot.plugged());
    assertEquals(false, world.told.get("a"));
    world.configure("a", "mtu", "256");
    assertEquals(List.of("withdraw a", "down a"), world.take());
    assertFalse(slot.plugged());
    slot.plug();
    slot.plug();
    assertTrue(slot.plugged());
    assertEquals(List.of("up a", "announce a"), world.take());
  }

  @Test
  @DisplayName("F30 a device that cannot be built: reported, plug says why, nothing left")
  void buildFails() {
    world.inBuild =
        name -> {
          throw new IbNoMemoryException(name, "planned", "");
        };
    world.configure("a");
    world.quiesce();
    assertEquals(1, world.errors.size());
    var slot = world.slots.get("a");
    assertFalse(slot.plugged());
    assertTrue(
        assertThrows(IbNoMemoryException.class, slot::plug).getMessage().contains("planned"));
    world.inBuild = name -> {};
    slot.plug();
    assertTrue(slot.plugged());
  }

  @Test
  @DisplayName("CC-14 an announcement that fails: the device is taken down again")
  void announceFails() {
    world.inAdd =
        name -> {
          throw new IllegalStateException("planned");
        };
    world.configure("a");
    assertEquals(List.of("up a", "announce a", "down a"), world.take());
    assertEquals(1, world.errors.size());
    world.inAdd = name -> {};
  }

  @Test
  @DisplayName(
      "CC-7 a client that unplugs its device inside add is refused, and it happens afterwards")
  void unplugInAdd() {
    AtomicReference<RuntimeException> refusal = new AtomicReference<>();
    world.inAdd =
        name -> {
          try {
            world.slots.get(name).unplug();
          } catch (IbDeadlockException e) {
            refusal.set(e);
          }
        };
    world.configure("a");
    world.quiesce(); // the add, and with it the request to unplug
    assertEquals(List.of("up a", "announce a", "withdraw a", "down a"), world.take());
    assertTrue(refusal.get() instanceof IbDeadlockException);
  }

  @Test
  @DisplayName("CC-7 a client that stops the driver inside remove does not wait for itself")
  void stopInRemove() {
    world.configure("a");
    world.quiesce();
    world.inRemove =
        name -> {
          world.inRemove = n -> {};
          world.devices.stop();
        };
    world.delete("a");
    world.quiesce();
    assertEquals(List.of("withdraw a", "down a"), world.take().subList(2, 4));
  }

  @Test
  @DisplayName(
      "F19 a client that blocks in add holds up its own device only, and no thread that configures")
  void blockedAdd() {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch adding = new CountDownLatch(1);
    world.inAdd =
        name -> {
          if (name.equals("a")) {
            adding.countDown();
            awaitLatch(go);
          }
        };
    world.configure("a");
    awaitLatch(adding);
    world.configure("b");
    world.configure("a", "mtu", "256");
    world.delete("a");
    world.configure("a", "mtu", "512");
    awaitPlugged("b");
    go.countDown();
    assertEquals(
        List.of("up a", "announce a", "withdraw a", "down a", "up a", "announce a"),
        world.take().stream().filter(l -> l.endsWith(" a")).toList());
  }

  @RepeatedTest(5)
  @DisplayName(
      "CC-13 2,000 random configurations, deletions, plugs from four threads: then one state")
  void storm() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Random random = new Random(t);
      threads.add(Thread.ofPlatform().start(() -> storm(random)));
    }
    for (Thread t : threads) {
      t.join(TimeUnit.MINUTES.toMillis(5));
      assertFalse(t.isAlive());
    }
    List.of("a", "b", "c").forEach(world::delete);
    awaitSlots(0); // two that have swapped their names would refuse each other for ever
    for (String name : List.of("a", "b", "c")) {
      world.configure(name);
    }
    awaitPlugged("a", "b", "c");
    world.quiesce();
    assertEquals(Set.of(), twoAtOnce(world.log));
    assertEquals(3, world.slots.size());
  }

  /** {@return the names of which two devices were up at one time} */
  private static Set<String> twoAtOnce(List<String> log) {
    Set<String> names = new TreeSet<>();
    for (String name : List.of("a", "b", "c")) {
      int up = 0;
      for (String line : log) {
        up += line.equals("up " + name) ? 1 : line.equals("down " + name) ? -1 : 0;
        if (up < 0 || up > 1) {
          names.add(name);
        }
      }
    }
    return names;
  }

  @Test
  @DisplayName("CC-13 canary: two drivers that do not know of each other are caught with one name")
  void canaryTwoAtOnce() {
    Devices<SoftConfig> stranger =
        new Devices<>(ConfigReader::read, world, world, (text, why) -> {});
    world.configure("b");
    world.quiesce();
    stranger.configure("ib.driver.soft~other", Map.of("name", "b"));
    stranger.slots().forEach(Slot::quiesce);
    assertEquals(Set.of("b"), twoAtOnce(world.log));
    stranger.stop();
  }

  private void storm(Random random) {
    for (int i = 0; i < 500; i++) {
      String name = "abc".charAt(random.nextInt(3)) + "";
      switch (random.nextInt(5)) {
        case 0 -> world.delete(name);
        case 1 -> world.configure(name, "mtu", 256 << random.nextInt(5));
        case 2 ->
            world.configure(name, "link", "down", "name", "abc".charAt(random.nextInt(3)) + "");
        default -> {
          var slot = world.slots.get(name);
          if (slot instanceof Slot<?> s && random.nextBoolean()) {
            s.quiesce();
          } else if (slot != null) {
            slot.unplug();
          }
        }
      }
    }
  }

  private void awaitSlots(int count) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (world.devices.slots().size() != count) {
      assertTrue(System.nanoTime() < end, world.devices.slots().size() + " slots");
      Thread.yield();
    }
  }

  private void awaitPlugged(String... names) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    for (String name : names) {
      while (world.slots.get(name) == null || !world.slots.get(name).plugged()) {
        assertTrue(System.nanoTime() < end, name + " is not there: " + world.log);
        Thread.yield();
      }
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
