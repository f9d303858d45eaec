package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.ClientStatus.State;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.DriverRegistry;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.ServiceRegistration;

/** Drivers and clients as services, on a real Felix. */
class IbCoreComponentTest {
  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private boolean stopped;
  private final List<String> log = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
  }

  @AfterEach
  void stop() throws Exception {
    stopComponent();
    framework.close();
  }

  private void stopComponent() {
    if (component != null && !stopped) {
      stopped = true;
      component.stop();
    }
  }

  private IbCore core() {
    return context.getService(context.getServiceReference(IbCore.class));
  }

  private static ServiceRegistration<IbDevice> plug(BundleContext where, String name) {
    return where.registerService(IbDevice.class, new FakeDevice(name), null);
  }

  private ServiceRegistration<IbClient> client(String name, String... after) {
    Hashtable<String, Object> properties = new Hashtable<>();
    if (after.length > 0) {
      properties.put(IbClient.AFTER, after);
    }
    return context.registerService(IbClient.class, new Client(name), properties);
  }

  private final class Client implements IbClient {
    private final String name;

    Client(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      log.add("add " + name + " " + device.name());
      if (name.equals("picky") && Collections.frequency(log, log.getLast()) == 1) {
        throw new IllegalStateException("not the first time");
      }
      return device.allocPd();
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      log.add("remove " + name + " " + device.name());
      ((ProtectionDomain) clientData).close(); // the device works (S28)
    }

    @Override
    public void renamed(IbDevice device, @Nullable Object clientData, String oldName) {
      log.add("renamed " + name + " " + oldName + " " + device.name());
    }
  }

  @Test
  @DisplayName("S36, S37, S39, S40: services come and go in order, each before its event returns")
  void comeAndGo() throws Exception {
    client("a");
    ServiceRegistration<IbDevice> d1 = plug(context, "d1");
    component = new IbCoreComponent(context, Map.of());
    assertEquals(List.of("add a d1"), log);
    ServiceRegistration<IbClient> b = client("b");
    assertEquals("add b d1", log.getLast());
    plug(context, "d2");
    assertEquals(List.of("add a d2", "add b d2"), log.subList(2, 4));
    log.clear();
    d1.unregister();
    assertEquals(List.of("remove b d1", "remove a d1"), log);
    b.unregister();
    assertEquals("remove b d2", log.getLast());
    assertNotNull(context.getServiceReference(DriverRegistry.class));
  }

  @Test
  @DisplayName("S41, B3: ib.client.after, as text, array or list")
  void after() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    client("c", "b", "a");
    client("b", "a");
    client("a");
    plug(context, "d");
    assertEquals(List.of("add a d", "add b d", "add c d"), log);
    assertEquals(List.of("x", "y"), ClientWork.names("x , y"));
    assertEquals(List.of("x", "y"), ClientWork.names(Arrays.asList("x", "y")));
    assertEquals(List.of(), ClientWork.names(null));
    assertEquals(List.of(), ClientWork.names(7));
  }

  @RepeatedTest(20)
  @DisplayName("CC-2, I1, S39: clients that register at once: one order, the same on each device")
  void atOnce() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    plug(context, "d0");
    CountDownLatch start = new CountDownLatch(1);
    List<Future<?>> threads = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      threads.add(
          Wait.start(
              () -> {
                Wait.on(start);
                client(name);
              }));
    }
    start.countDown();
    threads.forEach(Wait::end);
    List<ServiceRegistration<IbDevice>> later = List.of(plug(context, "d1"), plug(context, "d2"));
    List<String> all = core().clients().stream().map(ClientStatus::name).toList();
    assertEquals(List.of("mad", "sa"), all.subList(0, 2), "M1: the core's own come first");
    List<String> order = all.subList(2, all.size());
    for (String device : List.of("d1", "d2")) {
      assertEquals(order.stream().map(n -> "add " + n + " " + device).toList(), of(device));
    }
    log.clear();
    later.forEach(ServiceRegistration::unregister);
    for (String device : List.of("d1", "d2")) {
      assertEquals(
          order.reversed().stream().map(n -> "remove " + n + " " + device).toList(), of(device));
    }
  }

  private List<String> of(String device) {
    return log.stream().filter(l -> l.endsWith(" " + device)).toList();
  }

  @Test
  @DisplayName("CC-5: a client that was rejected is tried again when its properties change")
  void rebind() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    plug(context, "d");
    ServiceRegistration<IbClient> picky = client("picky");
    assertEquals(State.REJECTED, core().clients().getLast().bindings().getFirst().state());
    picky.setProperties(new Hashtable<>());
    assertEquals(State.LIVE, core().clients().getLast().bindings().getFirst().state());
  }

  @Test
  @DisplayName("CC-15: a changed ib.device.name renames the device; a name in use changes nothing")
  void rename() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    client("a");
    plug(context, "taken");
    ServiceRegistration<IbDevice> d = plug(context, "old");
    d.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "new")));
    assertEquals("renamed a old new", log.getLast());
    d.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "taken")));
    assertTrue(core().device("new").isPresent());
  }

  @Test
  @DisplayName(
      "CC-22, CC-26: a driver bundle that stops and forgets loses its devices in reverse, whole")
  void driverStops() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    client("a");
    Bundle driver = framework.bundle("driver");
    for (String name : List.of("d1", "d2", "d3")) {
      plug(driver.getBundleContext(), name);
    }
    log.clear();
    driver.stop();
    assertEquals(List.of("remove a d3", "remove a d2", "remove a d1"), log);
    assertTrue(core().lastRemoval("d1").orElseThrow().leaks().isEmpty());
  }

  @Test
  @DisplayName(
      "CC-7: a driver stopped inside add: that returns, with a violation; the device goes after")
  void driverStoppedInsideAdd() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    Bundle driver = framework.bundle("driver");
    context.registerService(
        IbClient.class,
        new IbClient() {
          @Override
          public String name() {
            return "stopper";
          }

          @Override
          public @Nullable Object add(IbDevice device) {
            try {
              driver.stop();
            } catch (BundleException e) {
              throw new IllegalStateException(e);
            }
            log.add("stopped");
            return device.allocPd(); // the device still works (I6)
          }

          @Override
          public void remove(IbDevice device, @Nullable Object clientData) {
            ((ProtectionDomain) clientData).close();
            log.add("removed");
          }
        },
        null);
    plug(driver.getBundleContext(), "d");
    assertEquals(List.of("stopped", "removed"), log);
    assertTrue(core().devices().isEmpty());
    assertEquals("CC-7", core().violations().getFirst().clause());
  }

  @Test
  @DisplayName(
      "the core stops: clients are removed in reverse, its services go; then all comes again")
  void coreStopsAndStarts() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    client("a");
    client("b");
    plug(context, "d1");
    plug(context, "d2");
    log.clear();
    stopComponent();
    assertEquals(List.of("remove b d2", "remove a d2", "remove b d1", "remove a d1"), log);
    assertNull(context.getServiceReference(IbCore.class));
    log.clear();
    component = new IbCoreComponent(context, Map.of());
    stopped = false;
    assertEquals(List.of("add a d1", "add b d1", "add a d2", "add b d2"), log);
  }

  @Test
  @DisplayName("F38, CC-14: a device or client that is refused stays out, the others go on")
  void refused() throws Exception {
    component = new IbCoreComponent(context, Map.of());
    client("a");
    plug(context, "d");
    ServiceRegistration<IbDevice> twin = plug(context, "d");
    client("a");
    assertEquals(List.of("add a d"), log);
    twin.unregister();
    assertEquals(List.of("add a d"), log);
    assertEquals(1, core().devices().size());
  }
}
