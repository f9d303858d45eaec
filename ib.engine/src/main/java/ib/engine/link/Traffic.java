package ib.engine.link;

/**
 * The traffic counters of a port (IBA 16.1.3.5), kept per queue pair and summed on reading. Each
 * constant has a place in the array of counts. Behind these places, data has one place for each
 * service level (IBA 16.1.4), so that the sum and its parts cost one addition.
 */
public enum Traffic {
  XMIT_PKTS,
  XMIT_MULTICAST,
  XMIT_DISCARDS,
  RCV_PKTS,
  RCV_MULTICAST,
  VL15_DROPPED,
  QP1_DROPPED;

  public static final int SERVICE_LEVELS = 16;

  private static final int XMIT_DATA = values().length;
  private static final int RCV_DATA = XMIT_DATA + SERVICE_LEVELS;
  public static final int COUNT = RCV_DATA + SERVICE_LEVELS;

  /** {@return the place of the data sent on a service level} */
  public static int xmitData(int sl) {
    return XMIT_DATA + (sl & SERVICE_LEVELS - 1);
  }

  /** {@return the place of the data received on a service level} */
  public static int rcvData(int sl) {
    return RCV_DATA + (sl & SERVICE_LEVELS - 1);
  }
}
