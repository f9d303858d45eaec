package ib.core.mad;

/** Management classes (IBA vol. 1 table 103) and what their datagrams look like. */
public final class MgmtClass {
  /** Subnet management, routed by LID. QP0. */
  public static final int SUBN_LID_ROUTED = 0x01;

  /** Subnet management, directed route. QP0. */
  public static final int SUBN_DIRECTED_ROUTE = 0x81;

  /** Subnet administration. */
  public static final int SUBN_ADM = 0x03;

  /** Performance management. */
  public static final int PERF_MGMT = 0x04;

  /** Baseboard management. */
  public static final int BM = 0x05;

  /** Device management. */
  public static final int DEVICE_MGMT = 0x06;

  /** Communication management. */
  public static final int CM = 0x07;

  /** Device administration. */
  public static final int DEVICE_ADM = 0x10;

  /** First vendor class whose datagrams carry an OUI. */
  public static final int VENDOR_RANGE2_START = 0x30;

  /** Last vendor class whose datagrams carry an OUI. */
  public static final int VENDOR_RANGE2_END = 0x4f;

  private MgmtClass() {}

  /**
   * Tells the classes of QP0.
   *
   * @param mgmtClass class
   * @return whether it is one of subnet management
   */
  public static boolean smi(int mgmtClass) {
    return mgmtClass == SUBN_LID_ROUTED || mgmtClass == SUBN_DIRECTED_ROUTE;
  }

  /**
   * Tells the vendor classes whose datagrams carry an OUI (IBA 16.5).
   *
   * @param mgmtClass class
   * @return whether it is one
   */
  public static boolean vendorOui(int mgmtClass) {
    return mgmtClass >= VENDOR_RANGE2_START && mgmtClass <= VENDOR_RANGE2_END;
  }

  /**
   * Tells the classes whose datagrams have an RMPP header, used or not (IBA 13.6.2).
   *
   * @param mgmtClass class
   * @return whether they do
   */
  public static boolean rmpp(int mgmtClass) {
    return mgmtClass == SUBN_ADM
        || mgmtClass == DEVICE_ADM
        || mgmtClass == DEVICE_MGMT
        || mgmtClass == BM
        || vendorOui(mgmtClass);
  }

  /**
   * Where the data begins (IBA figures 150 to 199).
   *
   * @param mgmtClass class
   * @return offset in bytes from the start of the datagram
   */
  public static int dataOffset(int mgmtClass) {
    return switch (mgmtClass) {
      case SUBN_LID_ROUTED, SUBN_DIRECTED_ROUTE, PERF_MGMT, DEVICE_MGMT, DEVICE_ADM, BM -> 64;
      case SUBN_ADM -> 56;
      default -> vendorOui(mgmtClass) ? 40 : 24;
    };
  }
}
