package ib.driver.verbs.object;

import ib.core.verbs.AtomicCap;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Limit;
import ib.core.verbs.QpType;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds the abilities of a device: its attributes, and by asking, with objects that are made and
 * destroyed at once, those that no attribute shows (V8). Absent is what only the kernel can do:
 * fast registration by requests, and the special queue pairs, which belong to the kernel.
 */
final class Probe {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long BYTES = Layout.size("ibv_device_attr");
  private static final long INIT_BYTES = Layout.size("ibv_qp_init_attr");
  private static final long CAP = Layout.at("ibv_qp_init_attr", "cap");
  private static final int[] INLINE = {1024, 512, 256, 128, 64, 32, 0};
  private static final int TEXT = 64;

  /** Bits of device_cap_flags that mean the same for a program here. */
  private static final Set<Cap> TOLD =
      EnumSet.of(
          Cap.BAD_PKEY_CNTR,
          Cap.BAD_QKEY_CNTR,
          Cap.AUTO_PATH_MIG,
          Cap.CHANGE_PHY_PORT,
          Cap.UD_AV_PORT_ENFORCE,
          Cap.CURR_QP_STATE_MOD,
          Cap.PORT_ACTIVE_EVENT,
          Cap.SYS_IMAGE_GUID,
          Cap.RC_RNR_NAK_GEN,
          Cap.MEM_WINDOW,
          Cap.MEM_WINDOW_TYPE_2B);

  private final VerbsContext context;
  private final Set<Cap> caps = EnumSet.noneOf(Cap.class);
  private final Map<Limit, Long> limits = new EnumMap<>(Limit.class);
  private int inline;

  Probe(VerbsContext context) {
    this.context = context;
  }

  private static long word(String field) {
    return Layout.at("ibv_device_attr", field, 4);
  }

  DeviceAttr read() {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(BYTES);
      context.check(
          frame, "queryDevice", context.library.queryDevice, context.address, c.address());
      limits(c);
      int flags = c.get(INT, word("device_cap_flags"));
      TOLD.stream().filter(cap -> (flags & cap.mask()) != 0).forEach(caps::add);
      boolean invalidates = (flags & Cap.MEM_MGT_EXTENSIONS.mask()) != 0;
      int told = c.get(INT, word("atomic_cap"));
      AtomicCap atomics = Queries.of(AtomicCap.values(), AtomicCap::value, told, AtomicCap.NONE);
      when(Cap.ATOMICS, atomics != AtomicCap.NONE);
      when(Cap.SRQ, limit(Limit.MAX_SRQ) > 0);
      when(Cap.MULTICAST, limit(Limit.MAX_MCAST_GRP) > 0);
      caps.add(Cap.REREG_MR); // made of two registrations
      objects(frame);
      limits.put(Limit.MAX_INLINE_DATA, (long) inline);
      limits.put(Limit.NUM_COMP_VECTORS, (long) context.vectors());
      context.abilities(
          new VerbsContext.Abilities(
              (int) limit(Limit.MAX_CQE),
              (int) limit(Limit.MAX_QP_WR),
              caps.contains(Cap.ATOMICS),
              caps.contains(Cap.MEM_WINDOW) || caps.contains(Cap.MEM_WINDOW_TYPE_2B),
              invalidates));
      return new DeviceAttr(
          Frame.text(c, Layout.at("ibv_device_attr", "fw_ver"), TEXT),
          c.get(BE_LONG, Layout.at("ibv_device_attr", "node_guid", 8)),
          c.get(BE_LONG, Layout.at("ibv_device_attr", "sys_image_guid", 8)),
          c.get(INT, word("vendor_id")),
          c.get(INT, word("vendor_part_id")),
          c.get(INT, word("hw_ver")),
          c.get(ValueLayout.JAVA_BYTE, Layout.at("ibv_device_attr", "phys_port_cnt", 1)) & 0xff,
          caps,
          atomics,
          limits);
    }
  }

  private void when(Cap cap, boolean there) {
    if (there) {
      caps.add(cap);
    }
  }

  private long limit(Limit which) {
    return limits.getOrDefault(which, 0L);
  }

  private void limits(MemorySegment c) {
    for (Limit limit : Limit.values()) {
      String field = limit.name().toLowerCase(Locale.ROOT);
      switch (limit) {
        case MAX_MR_SIZE, PAGE_SIZE_CAP ->
            limits.put(limit, c.get(ValueLayout.JAVA_LONG, Layout.at("ibv_device_attr", field, 8)));
        case MAX_PKEYS ->
            limits.put(
                limit,
                c.get(ValueLayout.JAVA_SHORT, Layout.at("ibv_device_attr", field, 2)) & 0xffffL);
        case LOCAL_CA_ACK_DELAY ->
            limits.put(
                limit,
                c.get(ValueLayout.JAVA_BYTE, Layout.at("ibv_device_attr", field, 1)) & 0xffL);
        case MAX_TSO,
            MAX_RWQ_INDIRECTION_TABLES,
            MAX_RWQ_INDIRECTION_TABLE_SIZE,
            RX_HASH_FUNCTION,
            RX_HASH_FIELDS_MASK,
            MAX_WQ_TYPE_RQ,
            QP_RATE_LIMIT_MIN,
            QP_RATE_LIMIT_MAX,
            NUM_COMP_VECTORS,
            MAX_INLINE_DATA,
            MAX_MSG_SZ -> {} // known otherwise, or not offered
        default -> limits.put(limit, Math.max(0L, c.get(INT, word(field))));
      }
    }
    limits.put(Limit.MAX_MSG_SZ, new Queries(context).port(1).maxMsgSize());
  }

  private void objects(Frame frame) {
    long pd = context.make(frame, "allocPd", context.library.allocPd, context.address);
    try {
      long cq =
          context.make(frame, "createCq", context.library.createCq, context.address, 16, 0, 0, 0);
      try {
        when(Cap.CQ_RESIZE, frame.check(context.library.resizeCq, cq, 32) == 0);
        when(Cap.RC, can(frame, QpType.RC, pd, cq));
        when(Cap.UC, can(frame, QpType.UC, pd, cq));
        when(Cap.UD, can(frame, QpType.UD, pd, cq));
      } finally {
        context.destroyed("CQ", frame.check(context.library.destroyCq, cq));
      }
    } finally {
      context.destroyed("PD", frame.check(context.library.deallocPd, pd));
    }
  }

  private boolean can(Frame frame, QpType type, long pd, long cq) {
    for (int bytes : INLINE) {
      if (bytes < inline) {
        continue;
      }
      MemorySegment c = frame.zeros(INIT_BYTES);
      c.set(ValueLayout.JAVA_LONG, Layout.at("ibv_qp_init_attr", "send_cq", 8), cq);
      c.set(ValueLayout.JAVA_LONG, Layout.at("ibv_qp_init_attr", "recv_cq", 8), cq);
      c.set(INT, Layout.at("ibv_qp_init_attr", "qp_type", 4), type.value());
      QpAttrs.cap(c, CAP, 1, 1, 1, 1, bytes);
      long qp = frame.call(context.library.createQp, pd, c.address());
      if (qp != 0) {
        inline = Math.max(inline, Math.min(1024, QpAttrs.cap(c, CAP).maxInlineData()));
        context.destroyed("QP", frame.check(context.library.destroyQp, qp));
        return true;
      }
    }
    return false;
  }
}
