package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.testing.Starts;
import ib.core.verbs.EventType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D8: when the watch of the events looks, and how it ends")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventHubTest {
  private static final long TIMEOUT = Rig.TIMEOUT_NS;
  private static final long DAY = TimeUnit.DAYS.toNanos(1);

  /** Time that stands still, and wakes no thread when the test moves it. */
  private static final class Clock implements EventClock {
    volatile long now = 1_000;
    final Set<Long> deadlines = ConcurrentHashMap.newKeySet();
    final AtomicReference<Thread> watch = new AtomicReference<>();
    final AtomicInteger parks = new AtomicInteger();

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void parkUntil(Object blocker, long deadlineNs) {
      watch.set(Thread.currentThread());
      deadlines.add(deadlineNs);
      parks.incrementAndGet();
      LockSupport.park(blocker);
    }

    /** Waits until the watch has decided to sleep for so long. */
    void sleepsFor(long ns) {
      Rig.until(() -> sleeps(ns));
    }

    boolean sleeps(long ns) {
      return deadlines.contains(now + ns);
    }
  }

  private final Clock clock = new Clock();
  private final HeldBus bus = new HeldBus();
  private final EventHub hub =
      new EventHub(
          EventConfig.DEFAULT,
          new Reports(),
          AtomicSection.NONE,
          clock,
          new Starts(Thread.ofVirtual().factory()),
          new WaitGraph());

  private DeviceEvents open(FakeDevice device) {
    DeviceEvents events = hub.device(device);
    device.connect(events.sink(), null);
    events.open();
    return events;
  }

  private Recorder handler(DeviceEvents events, FakeDevice device) {
    Recorder r = new Recorder(device);
    events.register(device, r);
    return r;
  }

  private static void dispatch(FakeDevice device) {
    device.dispatchEvent(EventType.PORT_ACTIVE, 1);
  }

  @Test
  @DisplayName(
      "D8: it looks after a timeout, sooner when an event is due, and daily without an event")
  void sleeps() {
    hub.bus(bus);
    FakeDevice device = new FakeDevice("first0");
    DeviceEvents events = open(device);
    clock.sleepsFor(DAY);
    clock.now = 2_000;
    dispatch(device);
    bus.take();
    clock.sleepsFor(TIMEOUT);
    clock.now = 2_010;
    hub.opened(events);
    clock.sleepsFor(TIMEOUT - 10);
    clock.now = 2_000 + TIMEOUT; // the event is due: the dispatcher is woken, and the watch sleeps
    hub.opened(events);
    Rig.until(() -> clock.sleeps(TIMEOUT) || clock.sleeps(DAY));
    assertTrue(events.closeAndDrain(Rig.FOREVER));
    clock.now = 2_001 + TIMEOUT;
    LockSupport.unpark(clock.watch.get());
    clock.sleepsFor(DAY);
    hub.close();
  }

  @Test
  @DisplayName("D8: a device that goes takes no other one with it")
  void oneOfTwo() {
    FakeDevice first = new FakeDevice("first0");
    FakeDevice second = new FakeDevice("second0");
    DeviceEvents leaves = open(first);
    DeviceEvents stays = open(second);
    assertTrue(leaves.closeAndDrain(Rig.FOREVER));
    hub.bus(bus);
    Recorder r = handler(stays, second);
    dispatch(second);
    HeldBus.Post post = bus.take();
    hub.onEvent(post.topic(), post.properties());
    r.await(1);
    assertEquals(0, stays.stats().detours());
    assertTrue(stays.closeAndDrain(Rig.FOREVER));
    hub.close();
  }

  @Test
  @DisplayName("D8: a topic of another application reaches no device, whatever it carries")
  void foreignTopic() {
    hub.bus(bus);
    FakeDevice device = new FakeDevice("first0");
    DeviceEvents events = open(device);
    handler(events, device);
    dispatch(device);
    HeldBus.Post post = bus.take();
    hub.onEvent("org/example/" + post.topic(), new HashMap<>(post.properties()));
    assertEquals(TIMEOUT, events.watch(clock.now), "the event is still on the bus");
    hub.onEvent(post.topic(), Map.copyOf(post.properties()));
    assertEquals(Long.MAX_VALUE, events.watch(clock.now));
    assertTrue(events.closeAndDrain(Rig.FOREVER));
    hub.close();
  }

  @Test
  @DisplayName("D8: the thread of the watch has its name and class loader, and ends with the hub")
  void thread() throws InterruptedException {
    FakeDevice device = new FakeDevice("first0");
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
    DeviceEvents events;
    try {
      events = open(device);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    Rig.until(() -> clock.parks.get() >= 2); // its start, and the wake-up for the device
    Thread watch = clock.watch.get();
    Rig.until(() -> watch.getState() == Thread.State.WAITING);
    assertEquals("ib-events-watch", watch.getName());
    assertTrue(watch.isDaemon());
    assertSame(EventWatch.class.getClassLoader(), watch.getContextClassLoader());
    assertTrue(events.closeAndDrain(Rig.FOREVER));
    hub.close();
    watch.join();
  }
}
