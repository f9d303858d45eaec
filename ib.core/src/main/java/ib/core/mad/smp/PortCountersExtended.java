package ib.core.mad.smp;

/**
 * Counters of a port in 64 bits (IBA 16.1.4.11, class 4, attribute 0x001D), from the first byte of
 * the data.
 */
public enum PortCountersExtended implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** Words sent. */
  XMIT_DATA("PortXmitData", 64, 64),
  /** Words received. */
  RCV_DATA("PortRcvData", 128, 64),
  /** Packets sent. */
  XMIT_PKTS("PortXmitPkts", 192, 64),
  /** Packets received. */
  RCV_PKTS("PortRcvPkts", 256, 64),
  /** Unicast packets sent. */
  UNICAST_XMIT_PKTS("PortUnicastXmitPkts", 320, 64),
  /** Unicast packets received. */
  UNICAST_RCV_PKTS("PortUnicastRcvPkts", 384, 64),
  /** Multicast packets sent. */
  MULTICAST_XMIT_PKTS("PortMulticastXmitPkts", 448, 64),
  /** Multicast packets received. */
  MULTICAST_RCV_PKTS("PortMulticastRcvPkts", 512, 64);

  private final Row row;

  PortCountersExtended(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
