package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.driver.base.NumberKey;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("One adapter: ports, tables, live changes and their events")
final class SoftDeviceTest {
  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<SoftDevice> plugged = new ArrayList<>();
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void nothingLeft() {
    plugged.forEach(SoftDevice::unplug);
    assertEquals(0, fabric.size());
    assertEquals(
        List.of(),
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(n -> n.startsWith("ib-"))
            .toList());
  }

  private static SoftConfig config(String name, Object... keysAndValues) {
    Map<String, Object> raw = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      raw.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return ConfigReader.read(name, raw);
  }

  private SoftDevice plug(String name, Object... keysAndValues) {
    SoftDevice device = SoftDevice.plug(fabric, config(name, keysAndValues), "1.2.3");
    plugged.add(device);
    device.connect(
        (type, port) -> {
          PortAttr now = device.queryPort(port);
          events.add(
              String.join(
                  " ",
                  type.name(),
                  String.valueOf(port),
                  now.state().name(),
                  "lid",
                  String.valueOf(now.lid()),
                  "pkey",
                  Integer.toHexString(device.pkey(port, 0))));
        },
        null);
    return device;
  }

  @Test
  @DisplayName("S27 a plugged device answers everything and its ports are ACTIVE with LIDs")
  void plugged() {
    SoftDevice a = plug("soft0", "guid", "02c90300000a0010", "ports", 2, "mtu", 2048);
    SoftDevice b = plug("soft1");
    assertEquals("soft0", a.name());
    assertEquals(NodeType.CA, a.info().nodeType());
    assertEquals(2, a.portCount());
    assertEquals(0x02c90300000a0010L, a.nodeGuid());
    assertEquals("ib.driver.soft", a.info().driver());
    PortAttr one = a.queryPort(1);
    assertEquals(PortState.ACTIVE, one.state());
    assertEquals(PhysState.LINK_UP, one.physState());
    assertEquals(LinkLayer.INFINIBAND, one.linkLayer());
    assertEquals(Mtu.MTU_4096, one.maxMtu());
    assertEquals(Mtu.MTU_2048, one.activeMtu());
    assertEquals(List.of(1, 2, 3), List.of(one.lid(), a.queryPort(2).lid(), b.queryPort(1).lid()));
    assertEquals(0, one.lmc());
    assertEquals(0xBFFF, one.smLid(), "the built-in subnet manager sits in the switch");
    assertEquals(new Gid(0xfe80_0000_0000_0000L, 0x02c90300000a0012L), a.gid(2, 0));
    assertEquals(Gid.ZERO, a.gid(2, 1));
    assertEquals(0xffff, a.pkey(1, 0));
    assertEquals(0, a.pkey(1, 1));
    assertEquals(128, one.pkeyTableLen());
  }

  @Test
  @DisplayName("F29 the limits of the configuration are the limits of the device")
  void limits() {
    Map<String, Object> raw = new HashMap<>(Map.of("ports", 2));
    for (NumberKey key : NumberKey.values()) {
      raw.put(key.key(), key.setting().least() + 1);
    }
    SoftDevice device = SoftDevice.plug(fabric, ConfigReader.read("soft0", raw), "1.2.3");
    plugged.add(device);
    DeviceAttr attr = device.attrs();
    for (NumberKey key : NumberKey.values()) {
      if (key.limit() != null) {
        assertEquals(key.setting().least() + 1, attr.limit(key.limit()), key.key());
      }
    }
    assertEquals(1, attr.limit(Limit.NUM_COMP_VECTORS));
    assertEquals(2, attr.physPortCount());
    assertEquals("1.2.3", attr.fwVer());
  }

  @Test
  @DisplayName("D8 a cable pulled and put back: PORT_ERR, PORT_ACTIVE; the LID stays")
  void linkDownAndUp() {
    SoftDevice device = plug("soft0");
    device.change(config("soft0", "link", "down"));
    assertEquals(List.of("PORT_ERR 1 DOWN lid 1 pkey ffff"), events);
    assertEquals(PhysState.POLLING, device.queryPort(1).physState());
    assertEquals(2, plug("soft1").queryPort(1).lid(), "the LID is not given away");
    events.clear();
    device.change(config("soft0"));
    assertEquals(List.of("PORT_ACTIVE 1 ACTIVE lid 1 pkey ffff"), events);
  }

  @Test
  @DisplayName("D8 a cable put in for the first time: LID_CHANGE, then PORT_ACTIVE")
  void firstCable() {
    SoftDevice device = plug("soft0", "link", "down");
    assertEquals(PortState.DOWN, device.queryPort(1).state());
    assertEquals(0, device.queryPort(1).lid());
    device.change(config("soft0"));
    assertEquals(
        List.of(
            "LID_CHANGE 1 INIT lid 1 pkey ffff",
            "SM_CHANGE 1 INIT lid 1 pkey ffff",
            "PORT_ACTIVE 1 ACTIVE lid 1 pkey ffff"),
        events);
  }

  @Test
  @DisplayName("D8 P_Keys: one PKEY_CHANGE for the table, none when it is the same")
  void pkeys() {
    SoftDevice device = plug("soft0", "pkeys", "ffff,8001,8002");
    device.change(config("soft0", "pkeys", "ffff,8001,8002"));
    assertEquals(List.of(), events);
    device.change(config("soft0", "pkeys", "8003,7fff"));
    assertEquals(List.of("PKEY_CHANGE 1 ACTIVE lid 1 pkey 8003"), events);
    assertEquals(0x7fff, device.pkey(1, 1));
    assertEquals(0, device.pkey(1, 2));
  }

  @Test
  @DisplayName("D8 tables before cables, port by port; untouched ports say nothing")
  void order() {
    SoftDevice device = plug("soft0", "ports", 3, "link", "up,down,up");
    device.change(config("soft0", "ports", 3, "link", "down,up,up", "pkeys", "8001"));
    assertEquals(
        List.of(
            "PKEY_CHANGE 1 ACTIVE lid 1 pkey 8001",
            "PORT_ERR 1 DOWN lid 1 pkey 8001",
            "PKEY_CHANGE 2 DOWN lid 0 pkey 8001",
            "LID_CHANGE 2 INIT lid 3 pkey 8001",
            "SM_CHANGE 2 INIT lid 3 pkey 8001",
            "PORT_ACTIVE 2 ACTIVE lid 3 pkey 8001",
            "PKEY_CHANGE 3 ACTIVE lid 2 pkey 8001"),
        events);
  }

  @Test
  @DisplayName("CC-22 unplugged and plugged again: the same LID, nothing left of the first")
  void replug() {
    SoftDevice first = plug("soft0");
    plug("soft1");
    first.unplug();
    first.unplug();
    SoftDevice again = plug("soft0");
    assertEquals(1, again.queryPort(1).lid());
    assertNotEquals(first.ops(), again.ops());
    assertFalse(fabric.size() == 0);
    assertTrue(plugged.remove(first));
  }
}
