package ib.core.mad.smp;

/**
 * Counters of a port (IBA 16.1.3.5, class 4, attribute 0x0012), from the first byte of the data.
 */
public enum PortCounters implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** Link errors on the lanes. */
  SYMBOL_ERROR("SymbolErrorCounter", 32, 16),
  /** Recoveries of the link. */
  LINK_ERROR_RECOVERY("LinkErrorRecoveryCounter", 48, 8),
  /** Times the link went down. */
  LINK_DOWNED("LinkDownedCounter", 56, 8),
  /** Packets with an error. */
  RCV_ERRORS("PortRcvErrors", 64, 16),
  /** Packets marked bad. */
  RCV_REMOTE_PHYSICAL_ERRORS("PortRcvRemotePhysicalErrors", 80, 16),
  /** Packets not forwarded. */
  RCV_SWITCH_RELAY_ERRORS("PortRcvSwitchRelayErrors", 96, 16),
  /** Packets not sent. */
  XMIT_DISCARDS("PortXmitDiscards", 112, 16),
  /** Packets not sent for partition enforcement. */
  XMIT_CONSTRAINT_ERRORS("PortXmitConstraintErrors", 128, 8),
  /** Packets not taken for partition enforcement. */
  RCV_CONSTRAINT_ERRORS("PortRcvConstraintErrors", 136, 8),
  /** Which counters a Set resets, second part. */
  COUNTER_SELECT_2("CounterSelect2", 144, 8),
  /** Times there were too many link errors. */
  LOCAL_LINK_INTEGRITY_ERRORS("LocalLinkIntegrityErrors", 152, 4),
  /** Times the buffers overran. */
  EXCESSIVE_BUFFER_OVERRUN_ERRORS("ExcessiveBufferOverrunErrors", 156, 4),
  /** Packets for QP1 without a receive. */
  QP1_DROPPED("QP1Dropped", 160, 16),
  /** Packets for QP0 without a receive. */
  VL15_DROPPED("VL15Dropped", 176, 16),
  /** Words sent. */
  XMIT_DATA("PortXmitData", 192, 32),
  /** Words received. */
  RCV_DATA("PortRcvData", 224, 32),
  /** Packets sent. */
  XMIT_PKTS("PortXmitPkts", 256, 32),
  /** Packets received. */
  RCV_PKTS("PortRcvPkts", 288, 32),
  /** Ticks without credit. */
  XMIT_WAIT("PortXmitWait", 320, 32);

  private final Row row;

  PortCounters(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
