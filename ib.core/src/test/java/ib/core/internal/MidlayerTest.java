package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.client.ResourceRecord;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.EventType;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The parts of the core joined, as a driver and a client meet them. */
class MidlayerTest {
  private final StandaloneCore standalone = StandaloneCore.create();

  @AfterEach
  void close() {
    standalone.close();
  }

  /** A client that remembers its handles and leaves behind what it is asked to. */
  private static class Client implements IbClient {
    final List<IbDevice> added = new ArrayList<>();
    final List<IbDevice> removed = new ArrayList<>();

    @Override
    public String name() {
      return "client";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      added.add(device);
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      removed.add(device);
    }
  }

  @Test
  @DisplayName("B13: the cache has what modifyPort changed when modifyPort returns")
  void modifiedPortIsCached() {
    Client client = new Client();
    standalone.core().registerClient(client);
    standalone.drivers().register(new FakeDevice("fake0"));
    IbDevice device = client.added.getFirst();
    device.modifyPort(1, new PortModify(1 << 16, 0, false, false));
    assertEquals(1 << 16, device.port(1).capFlags());
    device.modifyPort(1, new PortModify(0, 1 << 16, false, false));
    assertEquals(0, device.port(1).capFlags());
  }

  @Test
  @DisplayName(
      "D2: a client's handle is its own, and poisoned after remove; CC-20: leaks are reported")
  void handleIsPoisonedAfterRemove() {
    List<ProtectionDomain> leaked = new ArrayList<>();
    Client client =
        new Client() {
          @Override
          public @Nullable Object add(IbDevice device) {
            leaked.add(device.allocPd());
            return super.add(device);
          }
        };
    standalone.core().registerClient(client);
    FakeDevice device = new FakeDevice("fake0");
    DeviceRegistration registration = standalone.drivers().register(device);
    List<ResourceRecord> resources = standalone.core().resources();
    List<String> owners = resources.stream().map(ResourceRecord::owner).toList();
    assertEquals(List.of("client"), owners.stream().filter(o -> !o.equals("ib_core")).toList());
    registration.unregister();
    assertSame(client.added.getFirst(), client.removed.getFirst());
    List<LeakRecord> leaks = standalone.core().lastRemoval("fake0").orElseThrow().leaks();
    assertEquals(1, leaks.size());
    assertTrue(leaks.getFirst().object().startsWith("PD"), leaks.toString());
    assertThrows(IbDisassociatedException.class, () -> client.added.getFirst().allocPd());
    assertThrows(IbDisassociatedException.class, () -> leaked.getFirst().allocMemory(8, 8, 0));
    assertEquals(List.of(), standalone.core().resources());
    assertEquals(0, device.live());
  }

  @Test
  @DisplayName("D2: the service object answers queries and refuses to create")
  void serviceObjectRefusesToCreate() {
    FakeDevice device = new FakeDevice("fake0");
    standalone.drivers().register(device);
    assertTrue(device.port(1).pkeyTableLen() > 0);
    assertThrows(IbPermissionException.class, device::allocPd);
    IbDevice reader = standalone.core().device("fake0").orElseThrow();
    assertThrows(IbPermissionException.class, reader::allocPd);
  }

  @Test
  @DisplayName("S12, S43: an event of the driver reaches the handler of a client with a number")
  void eventReachesHandler() throws Exception {
    FakeDevice device = new FakeDevice("fake0");
    standalone.drivers().register(device);
    BlockingQueue<IbEvent> heard = new LinkedBlockingQueue<>();
    try (DeviceLease lease = standalone.core().lease("fake0", "test")) {
      IbEventHandler handler =
          new IbEventHandler(lease.device()) {
            @Override
            public void handle(IbEvent event) {
              heard.add(event);
            }
          };
      lease.device().registerEventHandler(handler);
      device.dispatchEvent(EventType.PORT_ACTIVE, 1);
      IbEvent event = heard.poll(10, TimeUnit.MINUTES);
      assertTrue(event != null && event.type() == EventType.PORT_ACTIVE, "heard " + event);
      assertSame(lease.device(), event.device());
      assertEquals(1, event.sequence());
      lease.device().unregisterEventHandler(handler); // a fence: the call has been counted
    }
    // to the lease's handler, and to that of the SA layer (M9), for which no call waits here
    Wait.until(() -> standalone.core().eventCounters("fake0").get("delivered") == 2);
    assertEquals(1L, standalone.core().eventCounters("fake0").get("dispatched"));
    assertThrows(IbNoDeviceException.class, () -> standalone.core().eventCounters("nosuch"));
  }

  @ParameterizedTest
  @EnumSource(
      value = EventType.class,
      names = {
        "PORT_ACTIVE",
        "PORT_ERR",
        "LID_CHANGE",
        "PKEY_CHANGE",
        "GID_CHANGE",
        "SM_CHANGE",
        "CLIENT_REREGISTER",
        "DEVICE_SPEED_CHANGE",
        "DEVICE_FATAL"
      })
  @DisplayName(
      "S34, S44: a change of state that a driver tells of reaches the clients, caches fresh")
  void stateChangeReachesClients(EventType change) throws Exception {
    FakeDevice device = new FakeDevice("fake0");
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Client client =
        new Client() {
          @Override
          public @Nullable Object add(IbDevice handle) {
            handle.registerEventHandler(
                new IbEventHandler(handle) {
                  @Override
                  public void handle(IbEvent event) {
                    heard.add(event.type() + " " + device().port(1).lid());
                  }
                });
            return super.add(handle);
          }
        };
    standalone.core().registerClient(client);
    standalone.drivers().register(device);
    device.ports().attr(1, device.ops().queryPort(1).toBuilder().lid(77).build());
    boolean whole = change == EventType.DEVICE_FATAL; // a device that has failed is not queried
    device.dispatchEvent(change, whole ? 0 : 1);
    assertEquals(change + (whole ? " 1" : " 77"), heard.poll(10, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("CC-17: with checks on, a handler may unregister itself inside, and it is reported")
  void handlerUnregistersItself() throws Exception {
    FakeDevice device = new FakeDevice("fake0");
    standalone.drivers().register(device);
    BlockingQueue<Object> outcome = new LinkedBlockingQueue<>();
    try (DeviceLease lease = standalone.core().lease("fake0", "test")) {
      lease
          .device()
          .registerEventHandler(
              new IbEventHandler(lease.device()) {
                @Override
                public void handle(IbEvent event) {
                  try {
                    lease.device().unregisterEventHandler(this);
                    outcome.add("done");
                  } catch (RuntimeException e) {
                    outcome.add(e);
                  }
                }
              });
      device.dispatchEvent(EventType.PORT_ACTIVE, 1);
      assertEquals("done", outcome.poll(10, TimeUnit.MINUTES));
      List<String> clauses =
          standalone.core().violations().stream().map(Violation::clause).toList();
      assertEquals(List.of("CC-17"), clauses);
    }
  }

  @Test
  @DisplayName("S27: a device that fails its probe is refused, its name is free again")
  void failedProbeRefusesTheDevice() {
    Client client = new Client();
    standalone.core().registerClient(client);
    standalone.drivers().register(new FakeDevice("fake0"));
    assertThrows(
        IbExistsException.class, () -> standalone.drivers().register(new FakeDevice("fake0")));
    FakeDevice broken =
        new FakeDevice("fake1") {
          @Override
          public ib.core.spi.DeviceOps ops() {
            throw new IllegalStateException("not ready");
          }
        };
    assertThrows(IllegalStateException.class, () -> standalone.drivers().register(broken));
    standalone.drivers().register(new FakeDevice("fake1"));
    assertEquals(List.of("fake0", "fake1"), client.added.stream().map(IbDevice::name).toList());
  }

  @Test
  @DisplayName("S29: registering and unregistering are refused in a callback that must not sleep")
  void noRegistrationInAtomicSections() {
    DeviceRegistration device = standalone.drivers().register(new FakeDevice("fake0"));
    ClientRegistration client = standalone.core().registerClient(new Client());
    List<Executable> calls =
        List.of(
            () -> standalone.drivers().register(new FakeDevice("fake1")),
            () -> standalone.core().registerClient(new Client()),
            () -> standalone.core().lease("fake0", "test"),
            () -> standalone.core().rename("fake0", "fake2"),
            client::rebind,
            client::unregister,
            device::unregister);
    Contract.enterAtomic();
    try {
      calls.forEach(c -> assertThrows(IbContractException.class, c));
      device.unregisterQueued(); // the form that is legal everywhere
    } finally {
      Contract.exitAtomic();
    }
    assertEquals(calls.size(), standalone.core().violations().size());
    device.unregister();
    assertTrue(standalone.core().lastRemoval("fake0").isPresent());
  }
}
