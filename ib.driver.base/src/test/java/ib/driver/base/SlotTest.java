package ib.driver.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("a slot: its own thread brings the device to the target state")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlotTest {
  private final Bench bench = new Bench();

  @AfterEach
  void nothingLeft() {
    bench.devices.stop();
    assertEquals(List.of(), bench.devices.slots());
    assertTrue(bench.offered.isEmpty(), bench.offered.toString());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("S27, S28: up, announced, in; out, withdrawn, down: twice the same")
  void inAndOut() {
    bench.configure("a");
    assertEquals(List.of("up a", "announce a", "a in"), bench.take());
    DeviceSlot slot = bench.offered.get("a");
    for (int i = 0; i < 2; i++) {
      slot.unplug();
      assertFalse(slot.plugged());
      assertEquals(List.of("a out", "withdraw a", "down a"), bench.take());
      slot.plug();
      assertTrue(slot.plugged());
      assertEquals(List.of("up a", "announce a", "a in"), bench.take());
      assertSame(slot, bench.offered.get("a"));
    }
    slot.plug();
    assertEquals(List.of(), bench.take(), "it is there already");
  }

  @Test
  @DisplayName("S28: a device is withdrawn and unplugged also when its offer cannot be changed")
  void offerFails() {
    bench.configure("a");
    bench.take();
    bench.telling =
        text -> {
          if (text.equals("a out")) {
            throw new IllegalStateException("planted");
          }
        };
    bench.offered.get("a").unplug();
    assertEquals(List.of("a out", "withdraw a", "down a"), bench.take());
    assertEquals(List.of("device a: planted"), bench.errors);
  }

  @Test
  @DisplayName("a live change reaches the device that runs; another name is another device")
  void change() {
    bench.configure("a");
    bench.take();
    bench.configure("a", "colour", "blue");
    assertEquals(List.of("change a blue"), bench.take());
    bench.configure("a", "name", "b");
    assertEquals(
        List.of("a out", "withdraw a", "down a", "up b", "announce b", "b in"), bench.take());
    assertEquals(List.of(), bench.errors);
  }

  @Test
  @DisplayName(
      "a resource in use is tried again until it is free; a null configuration ends the "
          + "attempts")
  void again() {
    AtomicInteger tries = new AtomicInteger();
    bench.building =
        config -> {
          if (tries.getAndIncrement() == 0) {
            throw new IbAgainException("port", "in use", "later");
          }
          return config;
        };
    bench.configure("a");
    bench.until("a in");
    assertEquals(List.of("up a", "announce a", "a in"), bench.take());
    assertEquals(2, tries.get());
    CountDownLatch tried = new CountDownLatch(1);
    bench.building =
        config -> {
          tried.countDown();
          throw new IbAgainException("port", "in use", "later");
        };
    bench.configure("b");
    await(tried);
    bench.devices.delete(Bench.PID + "~b");
    bench.until(() -> bench.devices.slots().size() == 1);
    assertEquals(List.of(), bench.take());
  }

  @Test
  @DisplayName("a device that cannot be built is reported once, and plug() throws the reason")
  void fails() {
    bench.building =
        config -> {
          throw new IbInvalidException("device", "planted", "none");
        };
    bench.configure("a");
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.errors.size(), bench.errors.toString());
    Slot<Bench.Config> slot = bench.devices.slots().getFirst();
    assertThrows(IbInvalidException.class, slot::plug);
    bench.building = config -> config;
    slot.plug();
    assertTrue(slot.plugged());
  }

  @Test
  @DisplayName("F19: a client that blocks in add delays its own device only")
  void blocked() {
    CountDownLatch adding = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    bench.adding =
        name -> {
          if (name.equals("a")) {
            adding.countDown();
            await(go);
          }
        };
    bench.configure("a");
    await(adding);
    bench.configure("b");
    bench.devices.slots().stream().filter(s -> s.name().equals("b")).forEach(Slot::quiesce);
    assertTrue(bench.log.contains("b in"), bench.log.toString());
    assertFalse(bench.log.contains("a in"));
    CompletableFuture<Void> unplugged =
        CompletableFuture.runAsync(
            () -> bench.devices.slots().getFirst().unplug(), Thread::startVirtualThread);
    go.countDown();
    unplugged.join();
    assertTrue(bench.take().contains("down a"));
  }

  @Test
  @DisplayName("what throws after a request was carried out is reported, and the slot goes on")
  void goesOn() {
    bench.configure("a", "name", "x");
    bench.take();
    bench.configure("b", "name", "x"); // in conflict, so that each slot that settles asks again
    AtomicInteger asked = new AtomicInteger();
    bench.asking =
        () -> {
          if (asked.getAndIncrement() == 0) {
            throw new IllegalStateException("planted");
          }
        };
    Slot<Bench.Config> slot = bench.devices.slots().getFirst();
    slot.unplug();
    bench.until(() -> asked.get() > 0);
    slot.plug();
    assertTrue(slot.plugged());
    assertEquals(List.of("device x: planted"), bench.errors.subList(1, bench.errors.size()));
  }

  @Test
  @DisplayName("a slot that is unplugged inside of its own add does not wait for itself")
  void inside() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    bench.adding =
        name -> {
          try {
            bench.devices.slots().getFirst().unplug();
          } catch (RuntimeException e) {
            thrown.set(e);
          }
        };
    bench.configure("a");
    assertEquals(List.of("up a", "announce a"), bench.take().subList(0, 2));
    assertInstanceOf(IbDeadlockException.class, thrown.get());
    assertFalse(bench.devices.slots().getFirst().plugged(), "the wish stays");
  }
}
