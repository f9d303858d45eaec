package ib.core.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a port (IBA vol. 1, 16.1.3.5 PortCounters, 16.1.4.11 PortCountersExtended, 16.1.4
 * the optional details), in the order and with the names of {@code perfquery}. Any context.
 */
public enum PortCounter {
  /** Minor link errors on the lanes. */
  SYMBOL_ERROR("SymbolErrorCounter", 16, 1, 0),
  /** Times the link recovered by training. */
  LINK_ERROR_RECOVERY("LinkErrorRecoveryCounter", 8, 1 << 1, 0),
  /** Times the link went down. */
  LINK_DOWNED("LinkDownedCounter", 8, 1 << 2, 0),
  /** Packets with an error received: CRC, length, malformed headers. */
  RCV_ERRORS("PortRcvErrors", 16, 1 << 3, 0),
  /** Packets received that a switch had marked bad. */
  RCV_REMOTE_PHYSICAL_ERRORS("PortRcvRemotePhysicalErrors", 16, 1 << 4, 0),
  /** Packets that a switch could not forward. */
  RCV_SWITCH_RELAY_ERRORS("PortRcvSwitchRelayErrors", 16, 1 << 5, 0),
  /** Outbound packets discarded because the port is down or cannot send. */
  XMIT_DISCARDS("PortXmitDiscards", 16, 1 << 6, 0),
  /** Packets not sent because of partition enforcement. */
  XMIT_CONSTRAINT_ERRORS("PortXmitConstraintErrors", 8, 1 << 7, 0),
  /** Packets not taken because of partition enforcement. */
  RCV_CONSTRAINT_ERRORS("PortRcvConstraintErrors", 8, 1 << 8, 0),
  /** Times the local link had too many errors. */
  LOCAL_LINK_INTEGRITY_ERRORS("LocalLinkIntegrityErrors", 4, 1 << 9, 0),
  /** Times the buffers overran. */
  EXCESSIVE_BUFFER_OVERRUN_ERRORS("ExcessiveBufferOverrunErrors", 4, 1 << 10, 0),
  /** Packets for QP1 dropped for want of a receive. */
  QP1_DROPPED("QP1Dropped", 16, 1 << 17, 0),
  /** Packets for QP0 (virtual lane 15) dropped for want of a receive. */
  VL15_DROPPED("VL15Dropped", 16, 1 << 11, 0),
  /** Data sent, in units of 4 octets: all from the local route header to the ICRC. */
  XMIT_DATA("PortXmitData", 32, 1 << 12, 1),
  /** Data received, in units of 4 octets. */
  RCV_DATA("PortRcvData", 32, 1 << 13, 1 << 1),
  /** Packets sent. */
  XMIT_PKTS("PortXmitPkts", 32, 1 << 14, 1 << 2),
  /** Packets received. */
  RCV_PKTS("PortRcvPkts", 32, 1 << 15, 1 << 3),
  /** Ticks in which there was something to send but no credit. */
  XMIT_WAIT("PortXmitWait", 32, 1 << 16, 0),
  /** Unicast packets sent. */
  UNICAST_XMIT_PKTS("PortUnicastXmitPkts", 0, 0, 1 << 4),
  /** Unicast packets received. */
  UNICAST_RCV_PKTS("PortUnicastRcvPkts", 0, 0, 1 << 5),
  /** Multicast packets sent. */
  MULTICAST_XMIT_PKTS("PortMulticastXmitPkts", 0, 0, 1 << 6),
  /** Multicast packets received. */
  MULTICAST_RCV_PKTS("PortMulticastRcvPkts", 0, 0, 1 << 7),
  /** Data sent on service level 0, in units of 4 octets. */
  XMIT_DATA_SL0(Form.XMIT_DATA_SL, "XmtDataSL0", 32, 0),
  /** Data sent on service level 1, in units of 4 octets. */
  XMIT_DATA_SL1(Form.XMIT_DATA_SL, "XmtDataSL1", 32, 1),
  /** Data sent on service level 2, in units of 4 octets. */
  XMIT_DATA_SL2(Form.XMIT_DATA_SL, "XmtDataSL2", 32, 2),
  /** Data sent on service level 3, in units of 4 octets. */
  XMIT_DATA_SL3(Form.XMIT_DATA_SL, "XmtDataSL3", 32, 3),
  /** Data sent on service level 4, in units of 4 octets. */
  XMIT_DATA_SL4(Form.XMIT_DATA_SL, "XmtDataSL4", 32, 4),
  /** Data sent on service level 5, in units of 4 octets. */
  XMIT_DATA_SL5(Form.XMIT_DATA_SL, "XmtDataSL5", 32, 5),
  /** Data sent on service level 6, in units of 4 octets. */
  XMIT_DATA_SL6(Form.XMIT_DATA_SL, "XmtDataSL6", 32, 6),
  /** Data sent on service level 7, in units of 4 octets. */
  XMIT_DATA_SL7(Form.XMIT_DATA_SL, "XmtDataSL7", 32, 7),
  /** Data sent on service level 8, in units of 4 octets. */
  XMIT_DATA_SL8(Form.XMIT_DATA_SL, "XmtDataSL8", 32, 8),
  /** Data sent on service level 9, in units of 4 octets. */
  XMIT_DATA_SL9(Form.XMIT_DATA_SL, "XmtDataSL9", 32, 9),
  /** Data sent on service level 10, in units of 4 octets. */
  XMIT_DATA_SL10(Form.XMIT_DATA_SL, "XmtDataSL10", 32, 10),
  /** Data sent on service level 11, in units of 4 octets. */
  XMIT_DATA_SL11(Form.XMIT_DATA_SL, "XmtDataSL11", 32, 11),
  /** Data sent on service level 12, in units of 4 octets. */
  XMIT_DATA_SL12(Form.XMIT_DATA_SL, "XmtDataSL12", 32, 12),
  /** Data sent on service level 13, in units of 4 octets. */
  XMIT_DATA_SL13(Form.XMIT_DATA_SL, "XmtDataSL13", 32, 13),
  /** Data sent on service level 14, in units of 4 octets. */
  XMIT_DATA_SL14(Form.XMIT_DATA_SL, "XmtDataSL14", 32, 14),
  /** Data sent on service level 15, in units of 4 octets. */
  XMIT_DATA_SL15(Form.XMIT_DATA_SL, "XmtDataSL15", 32, 15),
  /** Data received on service level 0, in units of 4 octets. */
  RCV_DATA_SL0(Form.RCV_DATA_SL, "RcvDataSL0", 32, 0),
  /** Data received on service level 1, in units of 4 octets. */
  RCV_DATA_SL1(Form.RCV_DATA_SL, "RcvDataSL1", 32, 1),
  /** Data received on service level 2, in units of 4 octets. */
  RCV_DATA_SL2(Form.RCV_DATA_SL, "RcvDataSL2", 32, 2),
  /** Data received on service level 3, in units of 4 octets. */
  RCV_DATA_SL3(Form.RCV_DATA_SL, "RcvDataSL3", 32, 3),
  /** Data received on service level 4, in units of 4 octets. */
  RCV_DATA_SL4(Form.RCV_DATA_SL, "RcvDataSL4", 32, 4),
  /** Data received on service level 5, in units of 4 octets. */
  RCV_DATA_SL5(Form.RCV_DATA_SL, "RcvDataSL5", 32, 5),
  /** Data received on service level 6, in units of 4 octets. */
  RCV_DATA_SL6(Form.RCV_DATA_SL, "RcvDataSL6", 32, 6),
  /** Data received on service level 7, in units of 4 octets. */
  RCV_DATA_SL7(Form.RCV_DATA_SL, "RcvDataSL7", 32, 7),
  /** Data received on service level 8, in units of 4 octets. */
  RCV_DATA_SL8(Form.RCV_DATA_SL, "RcvDataSL8", 32, 8),
  /** Data received on service level 9, in units of 4 octets. */
  RCV_DATA_SL9(Form.RCV_DATA_SL, "RcvDataSL9", 32, 9),
  /** Data received on service level 10, in units of 4 octets. */
  RCV_DATA_SL10(Form.RCV_DATA_SL, "RcvDataSL10", 32, 10),
  /** Data received on service level 11, in units of 4 octets. */
  RCV_DATA_SL11(Form.RCV_DATA_SL, "RcvDataSL11", 32, 11),
  /** Data received on service level 12, in units of 4 octets. */
  RCV_DATA_SL12(Form.RCV_DATA_SL, "RcvDataSL12", 32, 12),
  /** Data received on service level 13, in units of 4 octets. */
  RCV_DATA_SL13(Form.RCV_DATA_SL, "RcvDataSL13", 32, 13),
  /** Data received on service level 14, in units of 4 octets. */
  RCV_DATA_SL14(Form.RCV_DATA_SL, "RcvDataSL14", 32, 14),
  /** Data received on service level 15, in units of 4 octets. */
  RCV_DATA_SL15(Form.RCV_DATA_SL, "RcvDataSL15", 32, 15),
  /** Outbound packets discarded because the port was not active. */
  INACTIVE_DISCARDS(Form.XMIT_DISCARD_DETAILS, "PortInactiveDiscards", 16, 0),
  /** Outbound packets discarded because they were longer than NeighborMTU. */
  NEIGHBOR_MTU_DISCARDS(Form.XMIT_DISCARD_DETAILS, "PortNeighborMTUDiscards", 16, 1),
  /** Outbound packets discarded because they were in the switch for too long. */
  SW_LIFETIME_LIMIT_DISCARDS(Form.XMIT_DISCARD_DETAILS, "PortSwLifetimeLimitDiscards", 16, 2),
  /** Outbound packets discarded because they were the next to be sent for too long. */
  SW_HOQ_LIFETIME_LIMIT_DISCARDS(
      Form.XMIT_DISCARD_DETAILS, "PortSwHOQLifetimeLimitDiscards", 16, 3),
  /** Packets received that were damaged on the link. */
  LOCAL_PHYSICAL_ERRORS(Form.RCV_ERROR_DETAILS, "PortLocalPhysicalErrors", 16, 0),
  /** Packets received whose headers or lengths are wrong. */
  MALFORMED_PACKET_ERRORS(Form.RCV_ERROR_DETAILS, "PortMalformedPktErrors", 16, 1),
  /** Packets received for which there was no buffer. */
  BUFFER_OVERRUN_ERRORS(Form.RCV_ERROR_DETAILS, "PortBufferOverrunErrors", 16, 2),
  /** Packets received that a switch had no way for. */
  DLID_MAPPING_ERRORS(Form.RCV_ERROR_DETAILS, "PortDLIDMappingErrors", 16, 3),
  /** Packets received that a switch had no virtual lane for. */
  VL_MAPPING_ERRORS(Form.RCV_ERROR_DETAILS, "PortVLMappingErrors", 16, 4),
  /** Packets received that a switch would have sent back by the same port. */
  LOOPING_ERRORS(Form.RCV_ERROR_DETAILS, "PortLoopingErrors", 16, 5);

  /** The attribute that a counter is read from: each has its own width, and its own reset. */
  public enum Form {
    /** PortCounters: 4 to 32 bits, sticking at the end. */
    CLASSIC,
    /** PortCountersExtended: 64 bits. */
    EXTENDED,
    /** PortXmitDataSL: PortXmitData by service level. */
    XMIT_DATA_SL,
    /** PortRcvDataSL: PortRcvData by service level. */
    RCV_DATA_SL,
    /** PortXmitDiscardDetails: PortXmitDiscards by reason. */
    XMIT_DISCARD_DETAILS,
    /** PortRcvErrorDetails: PortRcvErrors and PortRcvSwitchRelayErrors by reason. */
    RCV_ERROR_DETAILS
  }

  private static final PortCounter[] VALUES = values();

  private final String label;
  private final int bits;
  private final int select;
  private final int selectExtended;
  private final @Nullable Form only; // null: the selects say it

  PortCounter(String label, int bits, int select, int selectExtended) {
    this.label = label;
    this.bits = bits;
    this.select = select;
    this.selectExtended = selectExtended;
    this.only = null;
  }

  PortCounter(Form only, String label, int bits, int number) {
    this.label = label;
    this.bits = bits;
    this.select = 1 << number;
    this.selectExtended = 0;
    this.only = only;
  }

  /** {@return the name that perfquery prints, for example {@code PortXmitData}} */
  public String label() {
    return label;
  }

  /**
   * Whether an attribute has this counter.
   *
   * @param form the attribute
   * @return whether it is there
   */
  public boolean in(Form form) {
    return select(form) != 0;
  }

  private int select(Form form) {
    return switch (form) {
      case CLASSIC -> only == null ? select : 0;
      case EXTENDED -> selectExtended;
      default -> form == only ? select : 0;
    };
  }

  /** {@return the service level that it counts alone, or -1} */
  public int serviceLevel() {
    return only == Form.XMIT_DATA_SL || only == Form.RCV_DATA_SL
        ? Integer.numberOfTrailingZeros(select)
        : -1;
  }

  /**
   * The value as an attribute holds it: all but 64 bits stay at their greatest value.
   *
   * @param form the attribute
   * @param count what was counted since the last reset, unsigned 64 bits
   * @return the value
   */
  public long value(Form form, long count) {
    if (form == Form.EXTENDED) {
      return count;
    }
    long most = (1L << bits) - 1;
    return Long.compareUnsigned(count, most) > 0 ? most : count;
  }

  /**
   * The counters that a reset mask selects (CounterSelect, and from bit 16 on CounterSelect2).
   *
   * @param form the attribute
   * @param mask one bit for each counter, as {@code perfquery}'s reset mask
   * @return the counters
   */
  public static Set<PortCounter> selected(Form form, int mask) {
    Set<PortCounter> found = EnumSet.noneOf(PortCounter.class);
    for (PortCounter c : VALUES) {
      if ((c.select(form) & mask) != 0) {
        found.add(c);
      }
    }
    return Collections.unmodifiableSet(found);
  }
}
