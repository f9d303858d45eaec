package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.testing.Starts;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One device with its events, and handles of clients. */
final class Rig implements AutoCloseable {
  static final long FOREVER = Long.MAX_VALUE;
  static final long TIMEOUT_NS = EventConfig.DEFAULT.returnTimeoutNs();

  final ManualClock clock = new ManualClock();
  final Starts starts = new Starts(Thread.ofVirtual().factory());
  final Reports reports = new Reports();
  final EventHub hub;
  final FakeDevice device;
  final IbDevice client = new FakeDevice("client's handle");
  final DeviceEvents events;

  Rig() {
    this(1024, 1024);
  }

  Rig(int queue, int handlerQueue) {
    this(new EventConfig(queue, handlerQueue, TIMEOUT_NS, EventConfig.DEFAULT.refreshRetryNs()), 2);
  }

  Rig(EventConfig config, int ports) {
    hub = new EventHub(config, reports, AtomicSection.NONE, clock, starts, new WaitGraph());
    hub.bus( // gives everything back at once
        (topic, properties) -> {
          hub.onEvent(topic, properties);
          return true;
        });
    device = new FakeDevice("fake0", ports);
    events = hub.device(device);
    device.connect(events.sink(), null);
  }

  /** Loads the caches and starts. */
  Rig open() {
    events.open();
    return this;
  }

  Recorder handler() {
    Recorder r = new Recorder(client);
    events.register(client, r);
    return r;
  }

  void dispatch(EventType... types) {
    for (EventType t : types) {
      device.dispatchEvent(t, t.affiliation() == EventType.Affiliation.PORT ? 1 : 0);
    }
  }

  void dispatch(int count) {
    for (int i = 0; i < count; i++) {
      device.dispatchEvent(EventType.PORT_ACTIVE, 1);
    }
  }

  @Override
  public void close() {
    device.faults().clear();
    assertTrue(events.closeAndDrain(FOREVER));
    hub.close();
  }

  static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), "never came true");
      Thread.yield();
    }
  }

  static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.MINUTES), "latch");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
