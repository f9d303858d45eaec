package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

/** Services that are registered and changed inside a completion handler, on a real Felix. */
@DisplayName("A3, S29, S33: a completion vector never runs a probe, an add or a remove")
class HandlerRegistersTest {
  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private Bundle guest;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<String> onVector = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Runnable> work = new AtomicReference<>();
  private volatile @Nullable FakeCq cq;

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    component = new IbCoreComponent(context, Map.of());
    guest = framework.bundle("guest");
    context.registerService(IbClient.class, new Innocent("host"), null);
    context.registerService(IbDevice.class, new FakeDevice("d0"), null);
  }

  @AfterEach
  void stop() throws Exception {
    component.stop();
    framework.close();
  }

  private IbCore core() {
    return context.getService(context.getServiceReference(IbCore.class));
  }

  /** Records a call of the core, and whether the call was in an atomic section. */
  private void called(String what) {
    log.add(what);
    if (Contract.inAtomic()) {
      onVector.add(what);
    }
  }

  private final class Innocent implements IbClient {
    private final String name;

    Innocent(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean supports(ib.core.verbs.DeviceInfo device) {
      called("supports " + name + " " + device.name());
      return true;
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      called("add " + name + " " + device.name());
      if (name.equals("host") && cq == null) {
        cq = (FakeCq) device.createCq(new CqInit(16, (q, c) -> work.get().run(), null));
      }
      return device.allocPd();
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      called("remove " + name + " " + device.name());
      ((ProtectionDomain) clientData).close();
      if (name.equals("host") && device.name().equals("d0")) {
        cq.close();
      }
    }

    @Override
    public void renamed(IbDevice device, @Nullable Object clientData, String oldName) {
      called("renamed " + name + " " + oldName);
    }
  }

  /** Runs it inside the completion handler, to its end. */
  private void inHandler(Runnable body) {
    CountDownLatch returned = new CountDownLatch(1);
    List<Throwable> thrown = new ArrayList<>();
    work.set(
        () -> {
          try {
            body.run();
          } catch (RuntimeException e) {
            thrown.add(e);
          } finally {
            returned.countDown();
          }
        });
    cq.wake();
    Wait.on(returned);
    assertEquals(List.of(), thrown);
  }

  private List<Violation> violations() {
    return core().violations();
  }

  @Test
  @DisplayName(
      "A3: a client registered in a handler is added by another thread; its bundle is recorded")
  void client() {
    inHandler(
        () -> guest.getBundleContext().registerService(IbClient.class, new Innocent("late"), null));
    Wait.until(() -> log.contains("add late d0"));
    assertEquals(List.of(), onVector);
    assertEquals(List.of("S29"), violations().stream().map(Violation::clause).toList());
    assertEquals("guest", violations().getFirst().culprit());
    Wait.until(() -> core().clients().stream().anyMatch(c -> c.name().equals("late")));
  }

  @Test
  @DisplayName("A3: a device registered in a handler is probed and added by another thread")
  void device() {
    inHandler(
        () -> guest.getBundleContext().registerService(IbDevice.class, new FakeDevice("d1"), null));
    Wait.until(() -> log.contains("add host d1"));
    assertEquals(List.of(), onVector);
    assertEquals("guest", violations().getFirst().culprit());
    assertEquals("S29", violations().getFirst().clause());
    Wait.until(() -> core().devices().size() == 2);
  }

  @Test
  @DisplayName("A3: a device renamed in a handler is renamed by another thread")
  void renamed() {
    ServiceRegistration<IbDevice> d1 =
        guest.getBundleContext().registerService(IbDevice.class, new FakeDevice("d1"), null);
    inHandler(() -> d1.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "d2"))));
    Wait.until(() -> log.contains("renamed host d1"));
    assertEquals(List.of(), onVector);
    assertEquals("guest", violations().getFirst().culprit());
  }

  @Test
  @DisplayName("A3: a service that is registered and withdrawn in one handler leaves nothing")
  void comesAndGoes() {
    inHandler(
        () ->
            guest
                .getBundleContext()
                .registerService(IbClient.class, new Innocent("brief"), null)
                .unregister());
    Wait.until(() -> core().clients().stream().noneMatch(c -> c.name().equals("brief")));
    assertEquals(List.of(), onVector);
    assertEquals(log.contains("add brief d0"), log.contains("remove brief d0"), log.toString());
    assertFalse(violations().isEmpty());
    assertTrue(violations().stream().allMatch(v -> v.clause().equals("S29")));
  }
}
