package ib.driver.soft.sma;

import static ib.core.mad.smp.PortInfo.CLIENT_REREGISTER;
import static ib.core.mad.smp.PortInfo.FILTER_RAW_INBOUND;
import static ib.core.mad.smp.PortInfo.FILTER_RAW_OUTBOUND;
import static ib.core.mad.smp.PortInfo.GID_PREFIX;
import static ib.core.mad.smp.PortInfo.HOQ_LIFE;
import static ib.core.mad.smp.PortInfo.INIT_TYPE_REPLY;
import static ib.core.mad.smp.PortInfo.LID;
import static ib.core.mad.smp.PortInfo.LINK_DOWN_DEFAULT_STATE;
import static ib.core.mad.smp.PortInfo.LINK_SPEED_ENABLED;
import static ib.core.mad.smp.PortInfo.LINK_SPEED_EXT_ENABLED;
import static ib.core.mad.smp.PortInfo.LINK_SPEED_EXT_ENABLED_2;
import static ib.core.mad.smp.PortInfo.LINK_WIDTH_ENABLED;
import static ib.core.mad.smp.PortInfo.LMC;
import static ib.core.mad.smp.PortInfo.LOCAL_PHY_ERRORS;
import static ib.core.mad.smp.PortInfo.MCAST_PKEY_TRAP_SUPPRESSION;
import static ib.core.mad.smp.PortInfo.MTU_CAP;
import static ib.core.mad.smp.PortInfo.M_KEY;
import static ib.core.mad.smp.PortInfo.M_KEY_LEASE_PERIOD;
import static ib.core.mad.smp.PortInfo.M_KEY_PROTECT_BITS;
import static ib.core.mad.smp.PortInfo.M_KEY_VIOLATIONS;
import static ib.core.mad.smp.PortInfo.NEIGHBOR_MTU;
import static ib.core.mad.smp.PortInfo.OPERATIONAL_VLS;
import static ib.core.mad.smp.PortInfo.OVERRUN_ERRORS;
import static ib.core.mad.smp.PortInfo.PARTITION_ENFORCEMENT_INBOUND;
import static ib.core.mad.smp.PortInfo.PARTITION_ENFORCEMENT_OUTBOUND;
import static ib.core.mad.smp.PortInfo.PORT_PHYS_STATE;
import static ib.core.mad.smp.PortInfo.PORT_STATE;
import static ib.core.mad.smp.PortInfo.SM_LID;
import static ib.core.mad.smp.PortInfo.SM_SL;
import static ib.core.mad.smp.PortInfo.SUBNET_TIMEOUT;
import static ib.core.mad.smp.PortInfo.VL_CAP;
import static ib.core.mad.smp.PortInfo.VL_HIGH_LIMIT;
import static ib.core.mad.smp.PortInfo.VL_STALL_COUNT;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.PortInfo;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Executes Set(PortInfo) and the Sets of a port's tables (IBA 14.2.5.6), with their events. */
final class PortInfoSet {
  private static final int LID_LAST = 0xBFFF;
  private static final int PER_PKEY_BLOCK = 32;
  private static final int PER_GUID_BLOCK = 8;

  /** The fields that are written with the value of the request. */
  private static final PortInfo[] PLAIN = {
    M_KEY,
    M_KEY_LEASE_PERIOD,
    M_KEY_PROTECT_BITS,
    M_KEY_VIOLATIONS,
    VL_HIGH_LIMIT,
    VL_STALL_COUNT,
    HOQ_LIFE,
    PARTITION_ENFORCEMENT_INBOUND,
    PARTITION_ENFORCEMENT_OUTBOUND,
    FILTER_RAW_INBOUND,
    FILTER_RAW_OUTBOUND,
    INIT_TYPE_REPLY,
    MCAST_PKEY_TRAP_SUPPRESSION,
    SUBNET_TIMEOUT,
    LOCAL_PHY_ERRORS,
    OVERRUN_ERRORS
  };

  /** The widths and speeds that a link may train to; each field has a value for "all supported". */
  private static final PortInfo[] ENABLED = {
    LINK_WIDTH_ENABLED, LINK_SPEED_ENABLED, LINK_SPEED_EXT_ENABLED, LINK_SPEED_EXT_ENABLED_2
  };

  private static final PortInfo[] SUPPORTED = {
    PortInfo.LINK_WIDTH_SUPPORTED,
    PortInfo.LINK_SPEED_SUPPORTED,
    PortInfo.LINK_SPEED_EXT_SUPPORTED,
    PortInfo.LINK_SPEED_EXT_SUPPORTED_2
  };

  private static final int[] ALL = {0xff, 0xf, 0x1f, 0x7};

  /** The fields that are written unless their value is 0, which means "no change". */
  private static final PortInfo[] UNLESS_ZERO = {
    LINK_WIDTH_ENABLED,
    LINK_SPEED_ENABLED,
    LINK_SPEED_EXT_ENABLED,
    LINK_SPEED_EXT_ENABLED_2,
    LINK_DOWN_DEFAULT_STATE,
    NEIGHBOR_MTU,
    OPERATIONAL_VLS
  };

  private final Links links;
  private final Surroundings around;

  PortInfoSet(Links links, Surroundings around) {
    this.links = links;
    this.around = around;
  }

  /** Writes PortInfo; refuses the whole request when one field has a value that is not allowed. */
  int set(NodePort at, NodePort port, MemorySegment data) {
    boolean endpoint = !port.node().isSwitch() || port.number() == 0;
    int refused = refusal(port, data, endpoint);
    if (refused != Status.OK) {
      return refused;
    }
    MemorySegment info = port.info();
    MemorySegment before = MemorySegment.ofArray(new byte[64]).copyFrom(info);
    for (PortInfo field : PLAIN) {
      field.set(info, field.of(data));
    }
    for (PortInfo field : UNLESS_ZERO) {
      if (field.of(data) != 0) {
        field.set(info, field.of(data));
      }
    }
    for (int i = 0; i < ALL.length; i++) {
      if (ENABLED[i].in(data) == ALL[i]) {
        ENABLED[i].set(info, SUPPORTED[i].of(info));
      }
    }
    if (endpoint) {
      for (PortInfo field : Arrays.asList(GID_PREFIX, LID, LMC, SM_LID, SM_SL)) {
        field.set(info, field.of(data));
      }
    }
    around.rekeyed(port);
    raiseEvents(port, before, data);
    states(port, PORT_STATE.in(data), PORT_PHYS_STATE.in(data));
    return Status.OK;
  }

  private static int refusal(NodePort port, MemorySegment data, boolean endpoint) {
    int state = PORT_STATE.in(data);
    int now = port.state().value();
    boolean step = // IBA 14.2.5.6 PortState: one step at a time
        switch (state) {
          case 0, 1 -> true;
          case 3 -> now == 2 || now == 3;
          case 4 -> now == 3 || now == 4;
          default -> false;
        };
    int phys = PORT_PHYS_STATE.in(data);
    int mtu = NEIGHBOR_MTU.in(data);
    long lid = LID.of(data);
    boolean good =
        step
            && phys <= PhysState.DISABLED.value()
            && mtu <= MTU_CAP.in(port.info())
            && OPERATIONAL_VLS.in(data) <= VL_CAP.in(port.info())
            && (!endpoint
                || lid > 0
                    && lid + (1 << LMC.in(data)) - 1 <= LID_LAST
                    && SM_LID.of(data) <= LID_LAST);
    return good ? Status.OK : Status.BAD_FIELD;
  }

  /** Raises the events that a driver raises when its agent is written to (mlx4: smp_snoop). */
  private void raiseEvents(NodePort port, MemorySegment before, MemorySegment data) {
    MemorySegment info = port.info();
    if (differs(LID, before, info) || differs(LMC, before, info)) {
      around.moved(port);
    }
    Adapter adapter = port.adapter();
    if (adapter == null) {
      return;
    }
    if (differs(NEIGHBOR_MTU, before, info)) {
      adapter.mtu(Mtu.of(NEIGHBOR_MTU.in(info)));
    }
    if (differs(GID_PREFIX, before, info)) {
      for (int i = 0; i < NodePort.GUIDS; i++) {
        adapter.gid(i, GID_PREFIX.of(info), port.guids()[i]);
      }
    }
    if (differs(LID, before, info) || differs(LMC, before, info)) {
      adapter.lid(port.lid(), port.lmc());
    }
    if (differs(SM_LID, before, info) || differs(SM_SL, before, info)) {
      adapter.sm(SM_LID.in(info), SM_SL.in(info));
    }
    if (CLIENT_REREGISTER.in(data) == 1) {
      adapter.reregister();
    }
  }

  private static boolean differs(PortInfo field, MemorySegment a, MemorySegment b) {
    return field.of(a) != field.of(b);
  }

  private void states(NodePort port, int state, int phys) {
    if (phys == PhysState.DISABLED.value() || phys == PhysState.SLEEP.value()) {
      links.down(port, PhysState.of(phys));
    } else if (phys
        == PhysState.POLLING.value()) { // the link trains again, to the enabled width and speed
      links.down(port, PhysState.POLLING);
      links.up(port);
    } else if (state == PortState.DOWN.value()) { // the link trains again: both ends come to INIT
      links.down(port, PhysState.POLLING);
      links.up(port);
    } else if (state >= PortState.ARMED.value() && state != port.state().value()) {
      links.logical(port, PortState.of(state));
    }
  }

  /** Writes 32 P_Keys. */
  int pkeys(NodePort port, int block, MemorySegment data) {
    int from = block * PER_PKEY_BLOCK;
    if (from >= NodePort.PKEYS) {
      return Status.BAD_FIELD;
    }
    for (int i = 0; i < PER_PKEY_BLOCK; i++) {
      port.pkeys()[from + i] = (int) MadField.read(data, i * 16, 16);
    }
    around.rekeyed(port);
    if (port.adapter() != null) {
      port.adapter().pkeys(port.pkeys());
    }
    return Status.OK;
  }

  /** Writes 8 GUIDs of the table; entry 0 of the table is the port's own GUID, which stays. */
  int guids(NodePort port, int block, MemorySegment data) {
    int from = block * PER_GUID_BLOCK;
    if (from < 0 || from >= NodePort.GUIDS) {
      return Status.BAD_FIELD;
    }
    for (int i = from == 0 ? 1 : 0; i < PER_GUID_BLOCK; i++) {
      port.guids()[from + i] = MadField.read(data, i * 64, 64);
      if (port.adapter() != null) {
        port.adapter().gid(from + i, GID_PREFIX.of(port.info()), port.guids()[from + i]);
      }
    }
    return Status.OK;
  }
}
