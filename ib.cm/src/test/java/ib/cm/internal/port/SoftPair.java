package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import ib.cm.CmClient;
import ib.cm.CmPath;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.IbDevice;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Two soft devices on one fabric, a connection manager, and a protocol on top of it. */
final class SoftPair implements AutoCloseable {
  final StandaloneCore core = StandaloneCore.create();
  final CmClient cm = CmClient.create();
  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<SoftNode> nodes = new ArrayList<>();
  private final List<DeviceRegistration> plugs = new ArrayList<>();
  private final List<ClientRegistration> clients = new ArrayList<>();
  private final Map<String, IbDevice> handles = new HashMap<>();

  /** The protocol: it keeps its handles. */
  private final IbClient protocol =
      new IbClient() {
        @Override
        public String name() {
          return "protocol";
        }

        @Override
        public @Nullable Object add(IbDevice device) {
          handles.put(device.name(), device);
          return null;
        }

        @Override
        public void remove(IbDevice device, @Nullable Object clientData) {
          handles.remove(device.name());
        }
      };

  SoftPair() {
    clients.add(core.core().registerClient(cm));
    clients.add(core.core().registerClient(protocol, CmClient.NAME));
    for (int i = 0; i < 2; i++) {
      SoftNode node = new SoftNode(fabric, "soft" + i, 0x02c9030000100000L + 0x100L * i);
      nodes.add(node);
      plugs.add(core.drivers().register(node));
    }
  }

  IbDevice device(int i) {
    IbDevice device = handles.get("soft" + i);
    assertNotNull(device, "soft" + i);
    return device;
  }

  /** {@return the path from one device to the other} */
  CmPath path(int from) {
    IbDevice peer = device(1 - from);
    return CmPath.inSubnet(device(from), 1, peer.port(1).lid(), peer.gid(1, 0));
  }

  /** Takes the connection manager away from the devices. */
  void withdraw() {
    clients.removeFirst().unregister();
  }

  /** Takes a device out; nothing of a client may be left (S32). */
  void unplug(int i) {
    plugs.get(i).unregister();
    String name = nodes.get(i).name();
    assertEquals(List.of(), core.core().lastRemoval(name).orElseThrow().leaks());
    nodes.get(i).close();
    plugs.remove(i);
    nodes.remove(i);
  }

  @Override
  public void close() {
    while (!plugs.isEmpty()) {
      unplug(plugs.size() - 1);
    }
    clients.reversed().forEach(ClientRegistration::unregister);
    assertEquals(List.of(), core.core().violations(), "the contract");
    assertEquals(List.of(), core.core().resources(), "nothing is left");
    core.close();
  }
}
