package ib.core.mad.smp;

/**
 * Data sent by service level (IBA 16.1.4, class 4, attribute 0x0036), from the first byte of the
 * data.
 */
public enum PortXmitDataSl implements MadField {
  /** The port; 255 for all of a switch. */
  PORT_SELECT("PortSelect", 8, 8),
  /** Which counters a Set resets. */
  COUNTER_SELECT("CounterSelect", 16, 16),
  /** Words sent on service level 0. */
  SL0("XmtDataSL0", 32, 32),
  /** Words sent on service level 1. */
  SL1("XmtDataSL1", 64, 32),
  /** Words sent on service level 2. */
  SL2("XmtDataSL2", 96, 32),
  /** Words sent on service level 3. */
  SL3("XmtDataSL3", 128, 32),
  /** Words sent on service level 4. */
  SL4("XmtDataSL4", 160, 32),
  /** Words sent on service level 5. */
  SL5("XmtDataSL5", 192, 32),
  /** Words sent on service level 6. */
  SL6("XmtDataSL6", 224, 32),
  /** Words sent on service level 7. */
  SL7("XmtDataSL7", 256, 32),
  /** Words sent on service level 8. */
  SL8("XmtDataSL8", 288, 32),
  /** Words sent on service level 9. */
  SL9("XmtDataSL9", 320, 32),
  /** Words sent on service level 10. */
  SL10("XmtDataSL10", 352, 32),
  /** Words sent on service level 11. */
  SL11("XmtDataSL11", 384, 32),
  /** Words sent on service level 12. */
  SL12("XmtDataSL12", 416, 32),
  /** Words sent on service level 13. */
  SL13("XmtDataSL13", 448, 32),
  /** Words sent on service level 14. */
  SL14("XmtDataSL14", 480, 32),
  /** Words sent on service level 15. */
  SL15("XmtDataSL15", 512, 32);

  private final Row row;

  PortXmitDataSl(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
