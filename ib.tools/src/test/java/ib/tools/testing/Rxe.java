package ib.tools.testing;

import ib.core.verbs.AtomicCap;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The device of the recorded output, and one with an InfiniBand port. */
public final class Rxe {
  private static final long GUID = 0x505400fffe123456L;

  private Rxe() {}

  /** The kernel's rdma_rxe, as recorded. */
  public static FakeDevice rxe0() {
    Gid ipv4 = Gid.parse("::ffff:10.77.0.2");
    return new FakeDevice(
        "rxe0", 0, attr(GUID), List.of(ethernet()), Gid.linkLocal(0x505400fffe123456L), ipv4);
  }

  /** An HCA on an InfiniBand fabric. */
  public static FakeDevice hca(String name, int index, int ports) {
    PortAttr port =
        ethernet().toBuilder()
            .linkLayer(LinkLayer.INFINIBAND)
            .lid(3)
            .smLid(1)
            .capFlags(0x2)
            .build();
    List<PortAttr> all = java.util.Collections.nCopies(ports, port);
    return new FakeDevice(
        name,
        index,
        attr(0x02c90300000a0001L + index),
        all,
        Gid.linkLocal(0x02c90300000a0001L + index));
  }

  private static PortAttr ethernet() {
    return PortAttr.builder()
        .state(PortState.ACTIVE)
        .physState(PhysState.LINK_UP)
        .maxMtu(Mtu.MTU_4096)
        .activeMtu(Mtu.MTU_1024)
        .linkLayer(LinkLayer.ETHERNET)
        .maxMsgSize(0x800000)
        .capFlags(0x10000)
        .gidTableLen(1024)
        .pkeyTableLen(1)
        .maxVl(1)
        .activeWidth(1)
        .activeSpeed(1)
        .build();
  }

  private static DeviceAttr attr(long guid) {
    Set<Cap> caps =
        EnumSet.of(
            Cap.BAD_PKEY_CNTR,
            Cap.BAD_QKEY_CNTR,
            Cap.AUTO_PATH_MIG,
            Cap.CHANGE_PHY_PORT,
            Cap.UD_AV_PORT_ENFORCE,
            Cap.PORT_ACTIVE_EVENT,
            Cap.SYS_IMAGE_GUID,
            Cap.RC_RNR_NAK_GEN,
            Cap.SRQ_RESIZE,
            Cap.MEM_WINDOW,
            Cap.MEM_MGT_EXTENSIONS,
            Cap.MEM_WINDOW_TYPE_2B,
            Cap.RC,
            Cap.UD);
    return new DeviceAttr("0.0.0", guid, guid, 0xffffff, 0, 0, 1, caps, AtomicCap.HCA, limits());
  }

  private static Map<Limit, Long> limits() {
    Map<Limit, Long> limits = new EnumMap<>(Limit.class);
    limits.put(Limit.MAX_MR_SIZE, -1L);
    limits.put(Limit.PAGE_SIZE_CAP, 0xfffff000L);
    limits.put(Limit.MAX_QP, 1048560L);
    limits.put(Limit.MAX_QP_WR, 1048576L);
    limits.put(Limit.MAX_SGE, 32L);
    limits.put(Limit.MAX_SGE_RD, 32L);
    limits.put(Limit.MAX_CQ, 1048576L);
    limits.put(Limit.MAX_CQE, 32767L);
    limits.put(Limit.MAX_MR, 524287L);
    limits.put(Limit.MAX_PD, 1048576L);
    limits.put(Limit.MAX_QP_RD_ATOM, 128L);
    limits.put(Limit.MAX_RES_RD_ATOM, 258048L);
    limits.put(Limit.MAX_QP_INIT_RD_ATOM, 128L);
    limits.put(Limit.MAX_MW, 524287L);
    limits.put(Limit.MAX_MCAST_GRP, 8192L);
    limits.put(Limit.MAX_MCAST_QP_ATTACH, 56L);
    limits.put(Limit.MAX_TOTAL_MCAST_QP_ATTACH, 458752L);
    limits.put(Limit.MAX_AH, 32767L);
    limits.put(Limit.MAX_SRQ, 917503L);
    limits.put(Limit.MAX_SRQ_WR, 1048576L);
    limits.put(Limit.MAX_SRQ_SGE, 27L);
    limits.put(Limit.MAX_PKEYS, 64L);
    limits.put(Limit.LOCAL_CA_ACK_DELAY, 15L);
    limits.put(Limit.NUM_COMP_VECTORS, 2L);
    return limits;
  }
}
