package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Adapters soft0, soft1, ... at one switch, and a door through which OpenSM manages them. */
abstract class OpensmWorld {
  static final int BUILTIN_LID = 0xBFFF;

  final Fabric fabric = BuiltinSm.newFabric();
  final List<SoftDevice> devices = new ArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final int adapters;
  IbsimDoor door;
  int port;
  @TempDir Path dir;

  OpensmWorld(int adapters) {
    this.adapters = adapters;
  }

  @BeforeEach
  void open() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    port = Opensm.freePort();
    door = new IbsimDoor(fabric, port, errors::add);
    for (int i = 0; i < adapters; i++) {
      SoftDevice device = SoftDevice.plug(fabric, ConfigReader.read("soft" + i, Map.of()), "0");
      device.connect((type, n) -> events.add(device.name() + " " + type), null);
      devices.add(device);
    }
  }

  @AfterEach
  void close() {
    if (door != null) {
      door.close();
    }
    devices.forEach(SoftDevice::unplug);
    assertEquals(List.of(), errors);
    assertEquals(0, fabric.size());
  }

  boolean managedFrom(int lid) {
    return devices.stream()
        .allMatch(d -> d.queryPort(1).state() == PortState.ACTIVE && d.queryPort(1).smLid() == lid);
  }

  void awaitManagedFrom(int lid) {
    OpensmTest.await("all ports managed from " + lid, () -> managedFrom(lid));
  }

  /** Runs a tool at soft1 and gives what it prints. */
  String tool(String line) throws Exception {
    return Opensm.tool(port, "soft1", dir, line.split(" "));
  }

  void noLinkWentDown() {
    assertTrue(events.stream().noneMatch(e -> e.endsWith(EventType.PORT_ERR.toString())));
  }
}
