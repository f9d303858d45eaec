package ib.bench;

import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.EventType;
import ib.driver.soft.sm.BuiltinSm;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * An event of a port, from the driver's call until a typed handler has it, in plain Java: the
 * tables of the port are read again first. The program waits for one event before it raises the
 * next.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Event {
  private final StandaloneCore midlayer = StandaloneCore.create();
  private final Unplug.Node node =
      new Unplug.Node(BuiltinSm.newFabric(), "event0", 0x02c9_0300_000d_0001L);
  private @Nullable DeviceRegistration registration;
  private volatile long heard;

  /** One device, one client with a handler. */
  @Setup
  public void plug() {
    midlayer.core().registerClient(new EventListener(this::hear));
    registration = midlayer.drivers().register(node);
  }

  /** Takes all of it down. */
  @TearDown
  public void close() {
    if (registration != null) {
      registration.unregister();
    }
    node.stop();
    midlayer.close();
  }

  /** Raises an event and waits for it. */
  @Benchmark
  public void event() {
    long next = heard + 1;
    node.dispatchEvent(EventType.PORT_ACTIVE, 1);
    while (heard < next) {
      Thread.onSpinWait();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one call at a time
  private void hear() {
    heard++;
  }
}
