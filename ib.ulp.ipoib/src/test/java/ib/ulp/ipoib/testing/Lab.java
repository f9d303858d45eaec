package ib.ulp.ipoib.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.Ipoib;
import ib.ulp.ipoib.NetDevice;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Soft devices on one fabric with an interface each, in a midlayer without a framework. Beneath the
 * door, {@code SoftFabric}: these tests write a port's partitions and GIDs and pull its cable, as a
 * subnet manager or a person would.
 */
public final class Lab implements AutoCloseable {
  private static final int FLOOD = 20; // frames
  public final StandaloneCore core = StandaloneCore.create();
  public final CmClient cm = CmClient.create();
  private final ClientRegistration below = core.core().registerClient(cm);
  public final Fabric fabric = BuiltinSm.newFabric();
  public final FakeSubnet subnet = new FakeSubnet();
  public final List<SoftNode> nodes = new ArrayList<>();
  public final List<DeviceRegistration> plugs = new ArrayList<>();
  public final Ipoib ipoib;
  private int made;
  private final ClientRegistration client;

  public Lab(int devices) {
    this(devices, LinkConfig.DEFAULT, name -> Backend.inJvm());
  }

  public Lab(int devices, LinkConfig config, Backend.Factory backends) {
    ipoib = new Ipoib(cm, config, List.of(), subnet::open, backends);
    client = core.core().registerClient(ipoib, CmClient.NAME);
    for (int i = 0; i < devices; i++) {
      plug();
    }
  }

  /** Plugs one more device in. */
  public SoftNode plug() {
    int i = made++;
    SoftNode node = new SoftNode(fabric, "soft" + i, 0x02c9030000100000L + 0x100L * i);
    nodes.add(node);
    plugs.add(core.drivers().register(node));
    return node;
  }

  public NetDevice device(String name) {
    return ipoib.interfaces().stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
  }

  public NetIf stack(String name) {
    return (NetIf) device(name).host();
  }

  /** Waits until an interface has carrier. */
  public NetDevice up(String name) {
    NetDevice device = device(name);
    await(() -> device.state().carrier(), name);
    return device;
  }

  /** Waits until something holds; the bound is for tests that would hang. */
  public static void await(BooleanSupplier condition, String what) {
    for (int i = 0; i < 60_000; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      LockSupport.parkNanos(1_000_000);
    }
    fail("did not come: " + what);
  }

  /** Waits until a flood comes in by an interface: a program that was started may begin late. */
  public void awaitFlood(String name) {
    long before = received(name);
    await(() -> received(name) > before + FLOOD, "a flood on " + name);
  }

  private long received(String name) {
    return device(name).statistics().get("rx_packets");
  }

  /** Takes a device out; nothing of its interfaces may be left (S32). */
  public void unplug(int i) {
    plugs.remove(i).unregister();
    SoftNode node = nodes.remove(i);
    assertEquals(List.of(), core.core().lastRemoval(node.name()).orElseThrow().leaks());
    node.close();
  }

  @Override
  public void close() {
    for (int i = plugs.size() - 1; i >= 0; i--) {
      unplug(i);
    }
    client.unregister();
    below.unregister();
    assertEquals(List.of(), core.core().violations(), "the contract");
    assertEquals(List.of(), core.core().resources(), "nothing is left");
    core.close();
    assertEquals(0, subnet.openClients(), "subnet clients left");
    assertEquals(0, subnet.memberships(), "memberships left");
    subnet.close();
  }
}
