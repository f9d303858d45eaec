package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.client.Violation;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.PollContext;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

/**
 * A service goes inside a callback, while the service of the other side goes on another thread and
 * its remove waits for the callback: nothing is thrown through the framework, no wait is long. A
 * wait that is ended by its limit would be a violation more than those that are expected.
 */
@DisplayName("B15: services that go while callbacks wait for each other, on a real Felix")
class ServiceEventCrossTest {
  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private final FakeDevice fake = new FakeDevice("d0");
  private final Ulp ulp = new Ulp();
  private ServiceRegistration<IbDevice> device;
  private ServiceRegistration<IbClient> client;

  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch mayAct = new CountDownLatch(1);
  private final CountDownLatch acted = new CountDownLatch(1);
  private final CountDownLatch removing = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private volatile Runnable action = () -> {};
  private volatile @Nullable Thread callback;
  private volatile @Nullable Throwable thrown;

  /** In what callback the service goes. */
  enum In {
    POOL,
    RAW,
    EVENT
  }

  /** One callback of each kind; its remove ends the one that runs. */
  private final class Ulp implements IbClient {
    private volatile @Nullable FakeCq pool;
    private volatile @Nullable FakeCq raw;
    private volatile @Nullable IbEventHandler handler;

    @Override
    public String name() {
      return "ulp";
    }

    @Override
    public boolean supports(DeviceInfo info) {
      return true;
    }

    @Override
    public @Nullable Object add(IbDevice handle) {
      pool = (FakeCq) handle.allocCq(16, 0, PollContext.WORKQUEUE);
      raw = (FakeCq) handle.createCq(new CqInit(16, (q, c) -> play(), null));
      handler =
          new IbEventHandler(handle) {
            @Override
            public void handle(IbEvent event) {
              play();
            }
          };
      handle.registerEventHandler(handler);
      return null;
    }

    @Override
    public void remove(IbDevice handle, @Nullable Object clientData) {
      removing.countDown();
      Wait.on(mayEnd);
      handle.unregisterEventHandler(handler);
      raw.close();
      pool.close();
    }
  }

  /** The callback. */
  private void play() {
    callback = Thread.currentThread();
    inside.countDown();
    Wait.on(mayAct);
    try {
      action.run();
    } catch (Throwable e) {
      thrown = e;
    } finally {
      acted.countDown();
    }
  }

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    component = new IbCoreComponent(context, Map.of());
    client = context.registerService(IbClient.class, ulp, null);
    device = context.registerService(IbDevice.class, fake, null);
  }

  @AfterEach
  void stop() throws Exception {
    mayAct.countDown();
    mayEnd.countDown();
    component.stop();
    framework.close();
    assertEquals(0, fake.live());
  }

  private IbCore core() {
    return context.getService(context.getServiceReference(IbCore.class));
  }

  private List<String> clauses() {
    return core().violations().stream().map(Violation::clause).toList();
  }

  /** Brings a thread into the callback, which will do that. */
  private void enter(In where, Runnable what) {
    action = what;
    switch (where) {
      case POOL ->
          ulp.pool.complete(new WorkCompletion().status(WcStatus.SUCCESS).cqe((q, wc) -> play()));
      case RAW -> ulp.raw.wake();
      case EVENT -> fake.dispatchEvent(EventType.PORT_ACTIVE, 1);
    }
    Wait.on(inside);
  }

  /** The service that goes in the callback, and the one that goes on a thread of its own. */
  private void cross(In where, Runnable here, Runnable there, boolean removalFirst) {
    enter(where, here);
    FutureTask<Void> removal = new FutureTask<>(there, null);
    Thread remover = Thread.ofPlatform().daemon().name("removes").start(removal);
    Wait.on(removing);
    if (removalFirst) {
      mayEnd.countDown();
      Wait.inside(remover, "fence");
      mayAct.countDown();
    } else {
      mayAct.countDown();
      Wait.inside(callback, "perform");
      mayEnd.countDown();
    }
    Wait.on(acted);
    Wait.end(removal);
    assertEquals(null, thrown, "nothing is thrown through the framework");
  }

  @ParameterizedTest(name = "the removal waits first: {0}")
  @DisplayName(
      "CC-9: client service unregistered in done() while the device's is: queued, reported")
  @CsvSource({"true", "false"})
  void clientGoes(boolean removalFirst) {
    cross(In.POOL, client::unregister, device::unregister, removalFirst);
    assertEquals(List.of("CC-9"), clauses());
    RemovalReport report = core().lastRemoval("d0").orElseThrow();
    assertEquals(List.of(), report.leaks());
    assertTrue(report.steps().stream().allMatch(s -> s.error().isEmpty()), report.toString());
    Wait.until(() -> core().clients().stream().noneMatch(c -> c.name().equals("ulp")));
  }

  @ParameterizedTest(name = "the removal waits first: {0}")
  @DisplayName("S28: the device's service goes in done() while the client's goes: it yields last")
  @CsvSource({"true", "false"})
  void deviceGoes(boolean removalFirst) {
    boolean[] gone = new boolean[1];
    Runnable goes =
        () -> {
          device.unregister();
          gone[0] = core().devices().isEmpty();
        };
    cross(In.POOL, goes, client::unregister, removalFirst);
    assertTrue(gone[0], "the device is off when unregister returns: its driver may pull it");
    // the close of the queue is deferred, also where the sweep would have paid for it
    assertEquals(List.of("S26", "I4"), clauses());
  }

  @ParameterizedTest
  @DisplayName(
      "S29: in an atomic section the removal of a service is queued, and waits for no thread")
  @EnumSource(names = {"RAW", "EVENT"})
  void atomic(In where) {
    cross(where, client::unregister, device::unregister, true);
    assertEquals(List.of("S29"), clauses());
    Wait.until(() -> core().clients().stream().noneMatch(c -> c.name().equals("ulp")));
  }

  @ParameterizedTest
  @DisplayName("S29: the same for the service of the device")
  @EnumSource(names = {"RAW", "EVENT"})
  void atomicDevice(In where) {
    cross(where, device::unregister, client::unregister, true);
    assertEquals(List.of("S29"), clauses());
    Wait.until(() -> core().devices().isEmpty());
  }
}
