package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.RemovalReport;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.hotplug.Limits;
import ib.core.spi.DeviceRegistration;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.PollContext;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Waits of different kinds that wait for each other: one that may be refused is refused at once.
 * Every program runs in both orders: {@code true} when the removal waits first.
 */
@DisplayName("B15: waits of all kinds are one graph")
class CrossWaitTest {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT, new Contract(false));
  private final FakeDevice fake = new FakeDevice("fake0");
  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch other = new CountDownLatch(1);
  private volatile @Nullable Thread callback;
  private volatile @Nullable Throwable thrown;

  @AfterEach
  void close() {
    FutureTask<Void> closing = new FutureTask<>(midlayer::close, null);
    Thread.ofPlatform().daemon().start(closing);
    Wait.end(closing);
    assertEquals(0, fake.live());
  }

  /** A client with one queue, one handler, and what it does in remove. */
  private static class Ulp implements IbClient {
    @Nullable FakeCq cq;
    @Nullable IbEventHandler handler;

    @Override
    public String name() {
      return "ulp";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      cq = (FakeCq) device.allocCq(16, 0, PollContext.WORKQUEUE);
      handler =
          new IbEventHandler(device) {
            @Override
            public void handle(IbEvent event) {
              heard();
            }
          };
      device.registerEventHandler(handler);
      return null;
    }

    /** Runs in the event handler. */
    void heard() {}

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      device.unregisterEventHandler(handler);
      cq.close();
    }
  }

  /** The callback: says who it is, waits for its turn, and keeps what the call threw. */
  private void callback(Runnable call) {
    callback = Thread.currentThread();
    inside.countDown();
    Wait.on(other);
    try {
      call.run();
    } catch (IbDeadlockException e) {
      thrown = e;
    }
  }

  private void complete(FakeCq cq, Runnable done) {
    cq.complete(new WorkCompletion().status(WcStatus.SUCCESS).cqe((q, wc) -> done.run()));
  }

  private void clean() {
    RemovalReport report = midlayer.lastRemoval("fake0").orElseThrow();
    assertEquals(List.of(), report.leaks());
    assertTrue(report.steps().stream().allMatch(s -> s.error().isEmpty()), report.toString());
    assertEquals(0, fake.live());
  }

  private List<String> clauses() {
    return midlayer.violations().stream().map(Violation::clause).toList();
  }

  @ParameterizedTest(name = "the removal waits first: {0}")
  @DisplayName("A2: done() unregisters its client while the removal closes its queue")
  @ValueSource(booleans = {true, false})
  void doneUnregistersClient(boolean removalFirst) {
    CountDownLatch go = new CountDownLatch(removalFirst ? 0 : 1);
    Ulp ulp =
        new Ulp() {
          @Override
          public void remove(IbDevice device, @Nullable Object clientData) {
            other.countDown();
            Wait.on(go);
            super.remove(device, clientData);
          }
        };
    ClientRegistration client = midlayer.registerClient(ulp);
    DeviceRegistration device = midlayer.register(fake);
    CountDownLatch removalWaits = new CountDownLatch(removalFirst ? 1 : 0);
    complete(
        ulp.cq,
        () ->
            callback(
                () -> {
                  Wait.on(removalWaits);
                  client.unregister();
                }));
    Wait.on(inside);
    FutureTask<Void> removal = new FutureTask<>(device::unregister, null);
    Thread remover = Thread.ofPlatform().daemon().start(removal);
    if (removalFirst) {
      Wait.inside(remover, "fence");
      removalWaits.countDown();
    } else {
      Wait.on(other);
      Wait.inside(callback, "unregister");
      go.countDown();
    }
    Wait.end(removal);
    Wait.until(() -> thrown != null);
    IbDeadlockException e = assertInstanceOf(IbDeadlockException.class, thrown);
    assertTrue(e.getMessage().contains(remover.getName()), e.getMessage());
    clean();
    assertEquals(List.of("CC-9"), clauses());
    Wait.until(() -> midlayer.clients().stream().noneMatch(c -> c.name().equals("ulp")));
  }

  @ParameterizedTest(name = "the event handler waits first: {0}")
  @DisplayName("A2b: an event handler closes a queue whose callback unregisters the handler")
  @ValueSource(booleans = {true, false})
  void handlerClosesQueue(boolean handlerFirst) {
    CountDownLatch handlerMayClose = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Thread[] handling = new Thread[1];
    Ulp ulp =
        new Ulp() {
          @Override
          void heard() {
            handling[0] = Thread.currentThread();
            other.countDown();
            Wait.on(handlerMayClose);
            cq.close();
            closed.countDown();
          }

          @Override
          public void remove(IbDevice device, @Nullable Object clientData) {
            // all has been closed
          }
        };
    midlayer.registerClient(ulp);
    DeviceRegistration device = midlayer.register(fake);
    CountDownLatch callbackMayGo = new CountDownLatch(1);
    complete(
        ulp.cq,
        () ->
            callback(
                () -> {
                  Wait.on(callbackMayGo);
                  ulp.handler.device().unregisterEventHandler(ulp.handler);
                }));
    Wait.on(inside);
    fake.dispatchEvent(EventType.PORT_ACTIVE, 1);
    Wait.on(other);
    if (handlerFirst) {
      handlerMayClose.countDown();
      Wait.inside(handling[0], "fence");
      callbackMayGo.countDown();
    } else {
      callbackMayGo.countDown();
      Wait.inside(callback, "fence");
      handlerMayClose.countDown();
    }
    Wait.on(closed);
    Wait.until(() -> thrown != null);
    assertInstanceOf(IbDeadlockException.class, thrown);
    device.unregister();
    clean();
  }

  @ParameterizedTest(name = "the removal waits first: {0}")
  @DisplayName("A2c: an event handler unregisters its client while remove unregisters the handler")
  @ValueSource(booleans = {true, false})
  void handlerUnregistersClient(boolean removalFirst) {
    CountDownLatch go = new CountDownLatch(removalFirst ? 0 : 1);
    CountDownLatch removalWaits = new CountDownLatch(removalFirst ? 1 : 0);
    ClientRegistration[] client = new ClientRegistration[1];
    Ulp ulp =
        new Ulp() {
          @Override
          void heard() {
            callback(
                () -> {
                  Wait.on(removalWaits);
                  client[0].unregister();
                });
          }

          @Override
          public void remove(IbDevice device, @Nullable Object clientData) {
            other.countDown();
            Wait.on(go);
            super.remove(device, clientData);
          }
        };
    client[0] = midlayer.registerClient(ulp);
    DeviceRegistration device = midlayer.register(fake);
    fake.dispatchEvent(EventType.PORT_ACTIVE, 1);
    Wait.on(inside);
    FutureTask<Void> removal = new FutureTask<>(device::unregister, null);
    Thread remover = Thread.ofPlatform().daemon().start(removal);
    if (removalFirst) {
      Wait.inside(remover, "fence");
      removalWaits.countDown();
    } else {
      Wait.on(other);
      Wait.inside(callback, "unregister");
      go.countDown();
    }
    Wait.end(removal);
    Wait.until(() -> thrown != null);
    assertInstanceOf(IbDeadlockException.class, thrown);
    clean();
    assertTrue(clauses().contains("CC-9"), clauses().toString());
  }

  @Test
  @DisplayName("I4: a fence that was deferred inside its own callback is waited for by the sweep")
  void deferredFenceIsOwed() {
    Ulp ulp = new Ulp();
    midlayer.registerClient(ulp);
    DeviceRegistration device = midlayer.register(fake);
    complete(
        ulp.cq,
        () -> {
          ulp.cq.close();
          inside.countDown();
          Wait.on(other);
        });
    Wait.on(inside);
    FutureTask<Void> removal = new FutureTask<>(device::unregister, null);
    Thread remover = Thread.ofPlatform().daemon().start(removal);
    Wait.until(() -> removal.isDone() || remover.getState() == Thread.State.TIMED_WAITING);
    assertFalse(removal.isDone(), "the callback runs after unregister has returned");
    Wait.inside(remover, "sweep");
    other.countDown();
    Wait.end(removal);
    clean();
    assertEquals(List.of("S26"), clauses());
  }
}
