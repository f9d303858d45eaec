package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.DeviceOps;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.NodeType;
import java.nio.file.Path;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

@DisplayName(
    "A10, A11, A12, A14: what was refused because another one held the name comes when that goes")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgainTest {
  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private IbCoreComponent component;
  private final List<String> log = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    component = new IbCoreComponent(context, Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    component.stop();
    framework.close();
  }

  private IbCore core() {
    return context.getService(context.getServiceReference(IbCore.class));
  }

  private final class Client implements IbClient {
    private final String name;
    private final String label;

    Client(String name, String label) {
      this.name = name;
      this.label = label;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      log.add("add " + label + " " + device.name());
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      log.add("remove " + label + " " + device.name());
    }
  }

  private ServiceRegistration<IbClient> client(BundleContext by, String name, String label) {
    return by.registerService(IbClient.class, new Client(name, label), null);
  }

  private static ServiceRegistration<IbDevice> plug(BundleContext by, String name) {
    return by.registerService(IbDevice.class, new FakeDevice(name), null);
  }

  private void hear(String... expected) {
    Wait.until(() -> log.size() >= expected.length);
    assertEquals(List.of(expected), log);
    log.clear();
  }

  @Test
  @DisplayName("A11: a client's second version, at the place that its registration gives it")
  void clients() throws Exception {
    Bundle one = framework.bundle("one");
    Bundle two = framework.bundle("two");
    client(one.getBundleContext(), "ulp", "old");
    client(two.getBundleContext(), "ulp", "new");
    client(context, "last", "last");
    plug(context, "d1");
    hear("add old d1", "add last d1");
    one.stop();
    hear("remove old d1", "add new d1");
    plug(context, "d2");
    hear("add new d2", "add last d2");
    assertEquals(
        List.of("mad", "sa", "ulp", "last"),
        core().clients().stream().map(ClientStatus::name).toList());
  }

  @Test
  @DisplayName("A11: of many that wait the oldest comes; one that has left does not")
  void oldest() throws Exception {
    plug(context, "d");
    ServiceRegistration<IbClient> holder = client(context, "ulp", "1");
    ServiceRegistration<IbClient> left = client(context, "ulp", "2");
    client(context, "ulp", "3");
    client(context, "ulp", "4");
    left.unregister();
    holder.unregister();
    hear("add 1 d", "remove 1 d", "add 3 d");
  }

  @Test
  @DisplayName("A10: a device, across bundles, by name and by GUID")
  void devices() throws Exception {
    client(context, "ulp", "ulp");
    Bundle one = framework.bundle("one");
    Bundle two = framework.bundle("two");
    plug(one.getBundleContext(), "d");
    plug(two.getBundleContext(), "d");
    long guid = core().device("d").orElseThrow().nodeGuid();
    DeviceInfo same = new DeviceInfo("other", 1, NodeType.CA, guid, guid, 1, "ib.core.testing");
    context.registerService(IbDevice.class, new FakeDevice(same), null);
    hear("add ulp d");
    one.stop();
    hear("remove ulp d", "add ulp d", "add ulp other");
    assertEquals(2, core().devices().size());
  }

  @Test
  @DisplayName("A14: a lease that was left behind: the driver's new device comes when that is over")
  void lease() throws Exception {
    client(context, "ulp", "ulp");
    ServiceRegistration<IbDevice> old = plug(context, "d");
    DeviceLease left = core().lease("d", "a ULP that was removed");
    Future<?> going = Wait.start(old::unregister);
    Wait.until(() -> log.contains("remove ulp d"));
    ServiceRegistration<IbDevice> restarted = plug(context, "d");
    assertFalse(core().device("d").isPresent());
    left.close();
    Wait.end(going);
    hear("add ulp d", "remove ulp d", "add ulp d");
    restarted.unregister();
    hear("remove ulp d");
  }

  @Test
  @DisplayName("CC-15: a device that was refused a name takes it when it is free")
  void rename() throws Exception {
    ServiceRegistration<IbDevice> taken = plug(context, "taken");
    ServiceRegistration<IbDevice> d = plug(context, "d");
    d.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "taken")));
    assertTrue(core().device("d").isPresent());
    taken.unregister();
    Wait.until(() -> core().device("taken").isPresent());
    ServiceRegistration<IbDevice> next = plug(context, "x");
    next.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "taken")));
    d.setProperties(new Hashtable<>(Map.of(DeviceWork.NAME, "y")));
    Wait.until(() -> core().device("taken").isPresent() && core().device("y").isPresent());
  }

  @Test
  @DisplayName("A10: two that want one name and fail are asked once each, and no more")
  void noLoop() throws Exception {
    AtomicInteger probes = new AtomicInteger();
    ServiceRegistration<IbDevice> holder = plug(context, "d");
    for (int i = 0; i < 2; i++) {
      context.registerService(IbDevice.class, failing(probes), null);
    }
    holder.unregister();
    Wait.until(() -> probes.get() == 2);
    plug(context, "d").unregister(); // what was freed before has been seen when this has come
    plug(context, "last");
    Wait.until(() -> core().device("last").isPresent());
    assertEquals(2, probes.get());
  }

  private static FakeDevice failing(AtomicInteger probes) {
    return new FakeDevice("d") {
      @Override
      public DeviceOps ops() {
        probes.incrementAndGet();
        throw new IllegalStateException("the hardware is broken");
      }
    };
  }

  @Test
  @DisplayName("A12: a live change of ib.client.after counts for the devices that come later")
  void after() throws Exception {
    ServiceRegistration<IbClient> a = client(context, "a", "a");
    client(context, "b", "b");
    plug(context, "d1");
    hear("add a d1", "add b d1");
    a.setProperties(new Hashtable<>(Map.of(IbClient.AFTER, "b")));
    plug(context, "d2");
    hear("add b d2", "add a d2");
    a.setProperties(new Hashtable<>());
    plug(context, "d3");
    hear("add a d3", "add b d3");
  }
}
