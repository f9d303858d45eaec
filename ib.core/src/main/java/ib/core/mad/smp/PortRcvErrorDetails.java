package ib.core.mad.smp;

/**
 * The kinds of errors in received packets (IBA 16.1.4, class 4, attribute 0x0015). Offsets count
 * from the first byte of the data.
 */
public enum PortRcvErrorDetails implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** Packets damaged on the link. */
  LOCAL_PHYSICAL("PortLocalPhysicalErrors", 32, 16),
  /** Packets with wrong headers or length. */
  MALFORMED_PACKET("PortMalformedPktErrors", 48, 16),
  /** Packets for which no buffer was free. */
  BUFFER_OVERRUN("PortBufferOverrunErrors", 64, 16),
  /** Packets without a route to their destination. */
  DLID_MAPPING("PortDLIDMappingErrors", 80, 16),
  /** Packets without a virtual lane. */
  VL_MAPPING("PortVLMappingErrors", 96, 16),
  /** Packets whose route leaves by the port by which they arrived. */
  LOOPING("PortLoopingErrors", 112, 16);

  private final Row row;

  PortRcvErrorDetails(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
