package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.PacketCapture;
import ib.core.spi.StandaloneCore;
import ib.driver.soft.SoftAdapter;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.ResidentSm;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.ulp.ipoib.Ipoib;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * Devices of the soft driver on a managed fabric, each with an interface. Beneath the door, {@code
 * SoftFabric}: these tests choose the subnet manager, and have one that dies.
 */
final class ManagedSubnet implements AutoCloseable {
  final StandaloneCore core = StandaloneCore.create();
  final List<SoftAdapter> devices = new ArrayList<>();
  final Ipoib ipoib;
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final List<DeviceRegistration> plugs = new ArrayList<>();
  private final ClientRegistration client;
  private final Fabric fabric;

  ManagedSubnet(int adapters, Function<Subnet, ResidentSm> resident, Backend.Factory backends) {
    fabric = new Fabric(resident);
    CmClient cm = CmClient.create();
    core.core().registerClient(cm);
    LinkConfig config = new LinkConfig(0, 512, 2048, 0);
    ipoib = new Ipoib(cm, config, List.of(), SaClient::open, backends);
    client = core.core().registerClient(ipoib, CmClient.NAME);
    for (int i = 0; i < adapters; i++) {
      plug();
    }
  }

  /** Plugs one more device in. */
  void plug() {
    String name = "soft" + devices.size();
    SoftAdapter device = new SoftAdapter(fabric, name);
    devices.add(device);
    plugs.add(core.drivers().register(device.device()));
  }

  /** Takes the last device out; nothing of its interfaces may be left (S32). */
  void unplug() {
    plugs.removeLast().unregister();
    SoftAdapter device = devices.removeLast();
    assertEquals(List.of(), core.core().lastRemoval(device.device().name()).orElseThrow().leaks());
    device.close();
  }

  /** {@return the stack of an interface in this JVM} */
  NetIf stack(int number) {
    return (NetIf) ipoib.interfaces().get(number).host();
  }

  /** Opens the door for the host's management software. */
  IbsimDoor door(int port) {
    return new IbsimDoor(fabric, port, errors::add);
  }

  /** Waits until an interface has carrier. */
  void up(int number) {
    Lab.await(() -> ipoib.interfaces().get(number).state().carrier(), "carrier of ib" + number);
  }

  /** Waits until a subnet manager at a LID has all ports, and all interfaces have carrier. */
  void managedFrom(int lid) {
    for (int i = 0; i < devices.size(); i++) {
      SoftAdapter device = devices.get(i);
      Lab.await(() -> device.smLid() == lid, "managed from LID " + lid);
      up(i);
    }
  }

  /** Waits until an interface is in a group. */
  void joined(int number, String end) {
    Lab.await(
        () ->
            ipoib.interfaces().get(number).groups().entrySet().stream()
                .anyMatch(g -> g.getKey().endsWith(end) && g.getValue().startsWith("mlid")),
        "group " + end);
  }

  /** Writes what a device sends and receives to a file. */
  PacketCapture.Session capture(int number, Path file) throws IOException {
    PacketCapture capture = devices.get(number).capture();
    return capture.start(
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PacketCapture.Filter.ALL);
  }

  @Override
  public void close() {
    while (!devices.isEmpty()) {
      unplug();
    }
    client.unregister();
    assertEquals(List.of(), core.core().violations(), "the contract");
    assertEquals(List.of(), core.core().resources(), "nothing is left");
    core.close();
    assertEquals(List.of(), errors);
    assertTrue(ipoib.interfaces().isEmpty());
  }
}
