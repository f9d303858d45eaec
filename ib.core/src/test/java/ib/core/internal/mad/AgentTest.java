package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("MAD agents on real threads")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AgentTest {
  private static final int CLASS = 0x09;
  private static final int ROUNDS = 100;

  private final StandaloneCore standalone = StandaloneCore.create();
  private DeviceLease lease;
  private IbDevice device;

  @BeforeEach
  void open() {
    standalone.drivers().register(new FakeDevice("fake0"));
    lease = standalone.core().lease("fake0", "test");
    device = lease.device();
  }

  @AfterEach
  void close() {
    lease.close();
    assertEquals(List.of(), standalone.core().violations());
    standalone.close();
  }

  private static Mad get() {
    return Mad.request(CLASS, 1, MadMethod.GET, 1, 0);
  }

  private static MadAddress self() {
    return MadAddress.gsi(AhAttr.ofLid(1, 1, 0));
  }

  private MadAgent sender() {
    return MadAgent.register(device, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE);
  }

  private MadAgent server(MadHandler handler) {
    return MadAgent.register(device, 1, MadRegistration.gsi(CLASS, 1, MadMethod.GET), handler);
  }

  @Test
  @DisplayName("M6 close flushes what is outstanding; no callback after it has returned")
  void closeIsAFence() {
    try (MadAgent silent = server(MadHandler.NONE)) {
      assertEquals(1, silent.port());
      for (int round = 0; round < ROUNDS; round++) {
        MadAgent agent = sender();
        AtomicInteger called = new AtomicInteger();
        List<CompletableFuture<MadReceived>> all = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(10);
        Future<?> poster =
            Wait.start(
                () -> {
                  for (int i = 0; i < 40; i++) {
                    CompletableFuture<MadReceived> f = agent.query(get(), self(), 60_000, 0);
                    synchronized (all) {
                      all.add(f);
                    }
                    f.whenComplete((r, e) -> called.incrementAndGet());
                    begun.countDown();
                  }
                });
        Wait.on(begun);
        agent.close();
        int then = called.get();
        Wait.end(poster);
        synchronized (all) {
          assertTrue(all.stream().allMatch(CompletableFuture::isDone), "round " + round);
          for (CompletableFuture<MadReceived> f : all) {
            CompletionException e = assertThrows(CompletionException.class, f::join);
            assertInstanceOf(IbDisassociatedException.class, e.getCause());
          }
          assertEquals(40, called.get(), "then " + then);
        }
      }
    }
  }

  @Test
  @DisplayName("M11 never two callbacks of one agent at once, never on the caller's thread")
  void oneAtATime() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Thread caller = Thread.currentThread();
    Runnable callback =
        () -> {
          assertNotSame(caller, Thread.currentThread());
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          Thread.onSpinWait();
          inside.decrementAndGet();
        };
    CountDownLatch heard = new CountDownLatch(1);
    try (MadAgent agent =
        server(
            (a, r) -> {
              Wait.on(heard); // it may sleep: nothing is answered before all are listened to
              callback.run();
              a.reply(r, r.mad().response(0)).whenComplete((v, e) -> callback.run());
            })) {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        all.add(agent.query(get(), self(), 30_000, 0).thenRun(callback));
      }
      heard.countDown();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    }
    assertEquals(1, most.get());
  }

  @Test
  @DisplayName("CC-17 an agent closes itself, and another's callback waits for its own request")
  void closesInside() {
    CountDownLatch closed = new CountDownLatch(1);
    server(
        (a, r) -> {
          a.close();
          closed.countDown();
        });
    try (MadAgent asker = sender()) {
      asker.send(get(), self());
      Wait.on(closed);
      AtomicReference<MadReceived> nested = new AtomicReference<>();
      try (MadAgent relay =
          server((a, r) -> nested.set(asker.query(unknown(), self(), 30_000, 0).join()))) {
        assertEquals(1, relay.port());
        asker.send(get(), self());
        Wait.until(() -> nested.get() != null);
      }
    }
  }

  private static Mad unknown() {
    return Mad.request(CLASS, 2, MadMethod.GET, 1, 0);
  }

  @Test
  @DisplayName("D2 the service object makes no agents")
  void serviceObject() {
    IbDevice reader = standalone.core().device("fake0").orElseThrow();
    assertThrows(
        IbPermissionException.class,
        () -> MadAgent.register(reader, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE));
  }
}
