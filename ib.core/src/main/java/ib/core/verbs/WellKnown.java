package ib.core.verbs;

/** Numbers that the specification fixes. */
public final class WellKnown {
  /** The default partition, full membership. */
  public static final int PKEY_DEFAULT_FULL = 0xFFFF;

  /** The Q_Key of QP1. */
  public static final int QP1_QKEY = 0x80010000;

  /** QP number of subnet management. */
  public static final int QPN_SMI = 0;

  /** QP number of general services. */
  public static final int QPN_GSI = 1;

  /** Destination QP number of multicast packets. */
  public static final int QPN_MULTICAST = 0xFFFFFF;

  /** Bytes in front of a received datagram, for the global route header. */
  public static final int GRH_BYTES = 40;

  /** Packet sequence numbers have 24 bits. */
  public static final int PSN_MASK = 0xFFFFFF;

  /** RNR retry count that means: without end. */
  public static final int RNR_RETRY_INFINITE = 7;

  private WellKnown() {}
}
