package ib.core.mad.smp;

/**
 * Why packets were not sent (IBA 16.1.4, class 4, attribute 0x0016), from the first byte of the
 * data.
 */
public enum PortXmitDiscardDetails implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** The port was not active. */
  INACTIVE("PortInactiveDiscards", 32, 16),
  /** Longer than NeighborMTU. */
  NEIGHBOR_MTU("PortNeighborMTUDiscards", 48, 16),
  /** In the switch for too long. */
  SW_LIFETIME_LIMIT("PortSwLifetimeLimitDiscards", 64, 16),
  /** Next to be sent for too long. */
  SW_HOQ_LIFETIME_LIMIT("PortSwHOQLifetimeLimitDiscards", 80, 16);

  private final Row row;

  PortXmitDiscardDetails(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
