package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA verbs: attribute records")
class AttrRecordsTest {

  @Test
  @DisplayName(
      "Query HCA: device attributes are a copy, in the order of the enums, 0 if the driver gives none")
  void deviceAttr() {
    Set<Cap> caps = EnumSet.of(Cap.UD, Cap.XRC);
    Map<Limit, Long> limits = new EnumMap<>(Map.of(Limit.MAX_QP, 10L, Limit.MAX_MR_SIZE, -1L));
    DeviceAttr attr = new DeviceAttr("1.0", 1, 2, 3, 4, 5, 1, caps, AtomicCap.HCA, limits);
    caps.clear();
    limits.clear();
    assertTrue(attr.has(Cap.XRC));
    assertFalse(attr.has(Cap.RC));
    assertEquals(10, attr.limit(Limit.MAX_QP));
    assertEquals(-1, attr.limit(Limit.MAX_MR_SIZE));
    assertEquals(0, attr.limit(Limit.MAX_CQ));
    assertEquals(List.of(Limit.MAX_MR_SIZE, Limit.MAX_QP), List.copyOf(attr.limits().keySet()));
    assertEquals(List.of(Cap.XRC, Cap.UD), List.copyOf(attr.caps()));
    assertThrows(UnsupportedOperationException.class, () -> attr.caps().add(Cap.RC));
    assertThrows(UnsupportedOperationException.class, () -> attr.limits().put(Limit.MAX_CQ, 1L));
  }

  private static PortAttr everyFieldDifferent() {
    return PortAttr.builder()
        .state(PortState.ARMED)
        .physState(PhysState.LINK_UP)
        .maxMtu(Mtu.MTU_2048)
        .activeMtu(Mtu.MTU_1024)
        .lid(101)
        .lmc(2)
        .smLid(103)
        .smSl(4)
        .linkLayer(LinkLayer.ETHERNET)
        .maxMsgSize(105)
        .capFlags(106)
        .capFlags2(107)
        .gidTableLen(108)
        .pkeyTableLen(109)
        .badPkeyCounter(110)
        .qkeyViolationCounter(111)
        .maxVl(5)
        .subnetTimeout(18)
        .initTypeReply(12)
        .activeWidth(16)
        .activeSpeed(32)
        .grhRequired(true)
        .build();
  }

  @Test
  @DisplayName("Query HCA: the builder puts each port attribute where it belongs")
  void portAttrBuilder() {
    assertEquals(
        new PortAttr(
            PortState.ARMED,
            PhysState.LINK_UP,
            Mtu.MTU_2048,
            Mtu.MTU_1024,
            101,
            2,
            103,
            4,
            LinkLayer.ETHERNET,
            105,
            106,
            107,
            108,
            109,
            110,
            111,
            5,
            18,
            12,
            16,
            32,
            true),
        everyFieldDifferent());
  }

  @Test
  @DisplayName("Query HCA: toBuilder keeps every port attribute")
  void portAttrToBuilder() throws ReflectiveOperationException {
    PortAttr attr = everyFieldDifferent();
    assertEquals(attr, attr.toBuilder().build());
    PortAttr initial = PortAttr.builder().build();
    for (RecordComponent c :
        PortAttr.class.getRecordComponents()) { // else the line above proves less
      assertFalse(
          c.getAccessor().invoke(attr).equals(c.getAccessor().invoke(initial)), c.getName());
    }
    assertEquals(PortState.ACTIVE, attr.toBuilder().state(PortState.ACTIVE).build().state());
    assertEquals(PortState.ARMED, attr.state());
  }

  @Test
  @DisplayName("Create AH: numbers of an address have the width of their header field")
  void addressRanges() {
    GlobalRoute grh = GlobalRoute.to(Gid.linkLocal(1), 0);
    limits(0xFFFF, v -> new AhAttr(v, 0, 0, 0, 1, grh));
    limits(15, v -> new AhAttr(1, v, 0, 0, 1, null));
    limits(127, v -> new AhAttr(1, 0, v, 0, 1, null));
    limits(255, v -> new AhAttr(1, 0, 0, v, 1, null));
    limits(255, v -> new AhAttr(1, 0, 0, 0, v, null));
    limits(0xFFFFF, v -> new GlobalRoute(Gid.ZERO, v, 0, 0, 0));
    limits(0xFFFF, v -> new GlobalRoute(Gid.ZERO, 0, v, 0, 0));
    limits(255, v -> new GlobalRoute(Gid.ZERO, 0, 0, v, 0));
    limits(255, v -> new GlobalRoute(Gid.ZERO, 0, 0, 0, v));
  }

  private static void limits(int max, IntFunction<Object> make) {
    assertDoesNotThrow(() -> make.apply(0));
    assertDoesNotThrow(() -> make.apply(max));
    assertThrows(IbInvalidException.class, () -> make.apply(-1));
    assertThrows(IbInvalidException.class, () -> make.apply(max + 1));
  }

  @Test
  @DisplayName("Create AH: the factories leave the rest at 0; only a GRH makes an address global")
  void addressFactories() {
    GlobalRoute grh = GlobalRoute.to(Gid.linkLocal(1), 3);
    assertEquals(new GlobalRoute(Gid.linkLocal(1), 0, 3, 64, 0), grh);
    assertEquals(new AhAttr(0x12, 3, 0, 0, 1, null), AhAttr.ofLid(1, 0x12, 3));
    assertEquals(new AhAttr(0xC000, 3, 0, 0, 1, grh), AhAttr.ofLid(1, 0xC000, 3, grh));
    assertEquals(new AhAttr(0, 0, 0, 0, 2, grh), AhAttr.ofGid(2, grh));
    assertFalse(AhAttr.ofLid(1, 0x12, 3).isGlobal());
    assertTrue(AhAttr.ofGid(1, grh).isGlobal());
  }

  @Test
  @DisplayName("Create QP: capacities are not negative")
  void capacities() {
    assertThrows(IbInvalidException.class, () -> new QpCap(-1, 0, 0, 0, 0));
    assertThrows(IbInvalidException.class, () -> new QpCap(0, -1, 0, 0, 0));
    assertThrows(IbInvalidException.class, () -> new QpCap(0, 0, -1, 0, 0));
    assertThrows(IbInvalidException.class, () -> new QpCap(0, 0, 0, -1, 0));
    assertThrows(IbInvalidException.class, () -> new QpCap(0, 0, 0, 0, -1));
    assertThrows(IbInvalidException.class, () -> new SrqAttr(-1, 0, 0));
    assertThrows(IbInvalidException.class, () -> new SrqAttr(0, -1, 0));
    assertThrows(IbInvalidException.class, () -> new SrqAttr(0, 0, -1));
    assertEquals(5, new QpCap(1, 2, 3, 4, 5).maxInlineData());
  }
}
