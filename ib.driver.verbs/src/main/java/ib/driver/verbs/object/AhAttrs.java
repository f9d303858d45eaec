package ib.driver.verbs.object;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** {@code ibv_ah_attr} and GIDs in memory of C. */
final class AhAttrs {
  static final long BYTES = Layout.size("ibv_ah_attr");
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long GRH = Layout.at("ibv_ah_attr", "grh");
  private static final long DLID = Layout.at("ibv_ah_attr", "dlid", 2);
  private static final long SL = Layout.at("ibv_ah_attr", "sl", 1);
  private static final long SRC_PATH_BITS = Layout.at("ibv_ah_attr", "src_path_bits", 1);
  private static final long STATIC_RATE = Layout.at("ibv_ah_attr", "static_rate", 1);
  private static final long IS_GLOBAL = Layout.at("ibv_ah_attr", "is_global", 1);
  private static final long PORT_NUM = Layout.at("ibv_ah_attr", "port_num", 1);
  private static final long DGID = GRH + Layout.at("ibv_global_route", "dgid");
  private static final long FLOW_LABEL = GRH + Layout.at("ibv_global_route", "flow_label", 4);
  private static final long SGID_INDEX = GRH + Layout.at("ibv_global_route", "sgid_index", 1);
  private static final long HOP_LIMIT = GRH + Layout.at("ibv_global_route", "hop_limit", 1);
  private static final long TRAFFIC_CLASS = GRH + Layout.at("ibv_global_route", "traffic_class", 1);

  private AhAttrs() {}

  static Gid gid(MemorySegment from, long at) {
    return new Gid(from.get(BE_LONG, at), from.get(BE_LONG, at + Long.BYTES));
  }

  static void gid(MemorySegment into, long at, Gid gid) {
    into.set(BE_LONG, at, gid.high());
    into.set(BE_LONG, at + Long.BYTES, gid.low());
  }

  static void write(MemorySegment into, long at, AhAttr attr) {
    into.set(ValueLayout.JAVA_SHORT, at + DLID, (short) attr.dlid());
    into.set(ValueLayout.JAVA_BYTE, at + SL, (byte) attr.sl());
    into.set(ValueLayout.JAVA_BYTE, at + SRC_PATH_BITS, (byte) attr.srcPathBits());
    into.set(ValueLayout.JAVA_BYTE, at + STATIC_RATE, (byte) attr.staticRate());
    into.set(ValueLayout.JAVA_BYTE, at + PORT_NUM, (byte) attr.port());
    GlobalRoute grh = attr.grh();
    into.set(ValueLayout.JAVA_BYTE, at + IS_GLOBAL, (byte) (grh == null ? 0 : 1));
    if (grh != null) {
      gid(into, at + DGID, grh.dgid());
      into.set(ValueLayout.JAVA_INT, at + FLOW_LABEL, grh.flowLabel());
      into.set(ValueLayout.JAVA_BYTE, at + SGID_INDEX, (byte) grh.sgidIndex());
      into.set(ValueLayout.JAVA_BYTE, at + HOP_LIMIT, (byte) grh.hopLimit());
      into.set(ValueLayout.JAVA_BYTE, at + TRAFFIC_CLASS, (byte) grh.trafficClass());
    }
  }

  static AhAttr read(MemorySegment from, long at) {
    boolean global = from.get(ValueLayout.JAVA_BYTE, at + IS_GLOBAL) != 0;
    GlobalRoute grh =
        global
            ? new GlobalRoute(
                gid(from, at + DGID),
                from.get(ValueLayout.JAVA_INT, at + FLOW_LABEL) & 0xfffff,
                from.get(ValueLayout.JAVA_BYTE, at + SGID_INDEX) & 0xff,
                from.get(ValueLayout.JAVA_BYTE, at + HOP_LIMIT) & 0xff,
                from.get(ValueLayout.JAVA_BYTE, at + TRAFFIC_CLASS) & 0xff)
            : null;
    return new AhAttr(
        from.get(ValueLayout.JAVA_SHORT, at + DLID) & 0xffff,
        from.get(ValueLayout.JAVA_BYTE, at + SL) & 0xf,
        from.get(ValueLayout.JAVA_BYTE, at + SRC_PATH_BITS) & 0x7f,
        from.get(ValueLayout.JAVA_BYTE, at + STATIC_RATE) & 0xff,
        from.get(ValueLayout.JAVA_BYTE, at + PORT_NUM) & 0xff,
        grh);
  }
}
