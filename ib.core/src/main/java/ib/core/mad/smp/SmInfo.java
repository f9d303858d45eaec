package ib.core.mad.smp;

/** A subnet manager of itself (IBA 14.2.5.13, attribute 0x0020). */
public enum SmInfo implements MadField {
  /** Port GUID of where it runs. */
  GUID("SmInfoGuid", 0, 64),
  /** SM_Key of the subnet manager. */
  SM_KEY("SmInfoSMKey", 64, 64),
  /** Counts what it does: it lives while this grows. */
  ACT_COUNT("SmActivity", 128, 32),
  /** Priority, 0 to 15; the higher is the master. */
  PRIORITY("SmPriority", 160, 4),
  /** 0 not active, 1 discovering, 2 standby, 3 master. */
  STATE("SmState", 164, 4);

  private final Row row;

  SmInfo(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
