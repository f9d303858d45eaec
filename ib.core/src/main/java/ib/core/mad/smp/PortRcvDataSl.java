package ib.core.mad.smp;

/**
 * Data received by service level (IBA 16.1.4, class 4, attribute 0x0037), from the first byte of
 * the data.
 */
public enum PortRcvDataSl implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** Words received on service level 0. */
  SL0("RcvDataSL0", 32, 32),
  /** Words received on service level 1. */
  SL1("RcvDataSL1", 64, 32),
  /** Words received on service level 2. */
  SL2("RcvDataSL2", 96, 32),
  /** Words received on service level 3. */
  SL3("RcvDataSL3", 128, 32),
  /** Words received on service level 4. */
  SL4("RcvDataSL4", 160, 32),
  /** Words received on service level 5. */
  SL5("RcvDataSL5", 192, 32),
  /** Words received on service level 6. */
  SL6("RcvDataSL6", 224, 32),
  /** Words received on service level 7. */
  SL7("RcvDataSL7", 256, 32),
  /** Words received on service level 8. */
  SL8("RcvDataSL8", 288, 32),
  /** Words received on service level 9. */
  SL9("RcvDataSL9", 320, 32),
  /** Words received on service level 10. */
  SL10("RcvDataSL10", 352, 32),
  /** Words received on service level 11. */
  SL11("RcvDataSL11", 384, 32),
  /** Words received on service level 12. */
  SL12("RcvDataSL12", 416, 32),
  /** Words received on service level 13. */
  SL13("RcvDataSL13", 448, 32),
  /** Words received on service level 14. */
  SL14("RcvDataSL14", 480, 32),
  /** Words received on service level 15. */
  SL15("RcvDataSL15", 512, 32);

  private final Row row;

  PortRcvDataSl(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
