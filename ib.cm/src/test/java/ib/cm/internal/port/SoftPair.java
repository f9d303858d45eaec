package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import ib.cm.CmClient;
import ib.cm.CmPath;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import ib.driver.soft.standalone.SoftFabric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Two soft devices on one fabric, a connection manager, and a protocol on top of it. */
final class SoftPair implements AutoCloseable {
  final CmClient cm = CmClient.create();
  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");
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
    clients.add(fabric.core().registerClient(cm));
    clients.add(fabric.core().registerClient(protocol, CmClient.NAME));
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
    String name = "soft" + i;
    fabric.unplug(name);
    assertEquals(List.of(), fabric.core().lastRemoval(name).orElseThrow().leaks());
  }

  @Override
  public void close() {
    unplug(1);
    unplug(0);
    clients.reversed().forEach(ClientRegistration::unregister);
    assertEquals(List.of(), fabric.core().violations(), "the contract");
    assertEquals(List.of(), fabric.core().resources(), "nothing is left");
    fabric.close();
  }
}
