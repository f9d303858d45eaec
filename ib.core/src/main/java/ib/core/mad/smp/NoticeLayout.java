package ib.core.mad.smp;

/** The attribute Notice, the contents of a trap (IBA 13.4.8.2, attribute 0x0002). */
public enum NoticeLayout implements MadField {
  /** Whether it is one of the specification's. */
  GENERIC("NoticeIsGeneric", 0, 1),
  /** 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 informational, 127 empty. */
  TYPE("NoticeType", 1, 7),
  /** 1 channel adapter, 2 switch, 3 router, 4 class manager. */
  PRODUCER_TYPE("NoticeProdTypeVendId", 8, 24),
  /** Number of the trap. */
  TRAP_NUMBER("NoticeTrapNum", 32, 16),
  /** LID of the port that sent it. */
  ISSUER_LID("NoticeIssuerLID", 48, 16),
  /** Changes with each new notice. */
  TOGGLE("NoticeToggle", 64, 1),
  /** Notices that wait. */
  COUNT("NoticeCount", 65, 15),
  /** Traps 128 to 131 and 144: the LID concerned. */
  DETAILS_LID("NoticeDataLID", 80, 16);

  private final Row row;

  NoticeLayout(String label, int bit, int bits) {
    row = new Row(label, bit, bits);
  }

  @Override
  public Row row() {
    return row;
  }
}
