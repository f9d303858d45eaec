package ib.core.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a port counts (IBA vol. 1, 16.1.3.5 PortCounters and 16.1.4.11 PortCountersExtended), in the
 * order and with the names of {@code perfquery}. Any context.
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
  MULTICAST_RCV_PKTS("PortMulticastRcvPkts", 0, 0, 1 << 7);

  /** The attribute that a counter is read from: each has its own width, and its own reset. */
  public enum Form {
    /** PortCounters: 4 to 32 bits, sticking at the end. */
    CLASSIC,
    /** PortCountersExtended: 64 bits. */
    EXTENDED
  }

  private static final PortCounter[] VALUES = values();

  private final String label;
  private final int bits;
  private final int select;
  private final int selectExtended;

  PortCounter(String label, int bits, int select, int selectExtended) {
    this.label = label;
    this.bits = bits;
    this.select = select;
    this.selectExtended = selectExtended;
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
    return (form == Form.CLASSIC ? select : selectExtended) != 0;
  }

  /**
   * The value as an attribute holds it: a classic counter stays at its greatest value.
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
      if (((form == Form.CLASSIC ? c.select : c.selectExtended) & mask) != 0) {
        found.add(c);
      }
    }
    return Collections.unmodifiableSet(found);
  }
}
