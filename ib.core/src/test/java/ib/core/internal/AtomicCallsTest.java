package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.hotplug.Limits;
import ib.core.spi.DeviceRegistration;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDevice;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The API called in a completion handler while nothing is checked. */
@DisplayName("A3, S29: without checking")
class AtomicCallsTest {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT, new Contract(false));
  private final FakeDevice fake = new FakeDevice("fake0");
  private final List<String> log = new CopyOnWriteArrayList<>();
  private @Nullable DeviceRegistration device;
  private @Nullable FakeCq cq;
  private volatile @Nullable Runnable body;

  @BeforeEach
  void start() {
    midlayer.registerClient(
        new Named("host") {
          @Override
          public @Nullable Object add(IbDevice d) {
            if (d.name().equals("fake0")) {
              cq = (FakeCq) d.createCq(new CqInit(16, (q, c) -> body.run(), null));
            }
            return super.add(d);
          }

          @Override
          public void remove(IbDevice d, @Nullable Object data) {
            super.remove(d, data);
            cq.close();
          }
        });
    device = midlayer.register(fake);
    log.clear();
  }

  @AfterEach
  void close() {
    midlayer.close();
    assertEquals(0, fake.live());
  }

  /** Notes each call, and whether it is made in an atomic section. */
  private class Named implements IbClient {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    private void called(String what) {
      log.add(what + " " + name + (Contract.inAtomic() ? " ON THE VECTOR" : ""));
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable Object add(IbDevice d) {
      called("add");
      return null;
    }

    @Override
    public void remove(IbDevice d, @Nullable Object data) {
      called("remove");
    }

    @Override
    public void renamed(IbDevice d, @Nullable Object data, String oldName) {
      called("renamed");
    }
  }

  /** Runs it in the handler; {@return what it threw} */
  private @Nullable Throwable inHandler(Runnable call) {
    Throwable[] thrown = new Throwable[1];
    CountDownLatch done = new CountDownLatch(1);
    body =
        () -> {
          try {
            call.run();
          } catch (RuntimeException e) {
            thrown[0] = e;
          } finally {
            done.countDown();
          }
        };
    cq.wake();
    Wait.on(done);
    return thrown[0];
  }

  private List<String> clauses() {
    return midlayer.violations().stream().map(Violation::clause).toList();
  }

  @Test
  @DisplayName("S29: a device or a client is not registered in a handler, whether checked or not")
  void registrationIsRefused() {
    assertInstanceOf(
        IbContractException.class, inHandler(() -> midlayer.register(new FakeDevice("fake1"))));
    assertInstanceOf(
        IbContractException.class, inHandler(() -> midlayer.registerClient(new Named("late"))));
    assertEquals(List.of("S29", "S29"), clauses());
    assertEquals(List.of(), log);
  }

  @Test
  @DisplayName("S29: what unregisters, renames or rebinds in a handler waits for another thread")
  void othersAreDoneElsewhere() {
    ClientRegistration other = midlayer.registerClient(new Named("other"));
    assertNull(inHandler(other::rebind));
    assertNull(inHandler(() -> midlayer.rename("fake0", "fake2")));
    assertNull(inHandler(other::unregister));
    assertEquals(List.of("add other", "renamed host", "renamed other", "remove other"), log);
    assertEquals(List.of("S29", "S29", "S29"), clauses());
  }

  @Test
  @DisplayName("CC-8, S29: unregister in a handler of the device is refused; the device is removed")
  void ownDevice() {
    Throwable thrown = inHandler(device::unregister);
    assertInstanceOf(ib.core.verbs.IbDeadlockException.class, thrown);
    Wait.until(() -> midlayer.lastRemoval("fake0").isPresent());
    assertEquals(List.of("remove host"), log);
    assertTrue(clauses().containsAll(List.of("S29", "CC-8")), clauses().toString());
  }
}
