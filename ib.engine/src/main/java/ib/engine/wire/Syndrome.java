package ib.engine.wire;

import ib.core.wire.Aeth;

/** AETH syndromes (IBA vol. 1 section 9.7.5.1.2 and table 45: the RNR timer values). */
public final class Syndrome {
  /** Acknowledged; 31 = no end-to-end credits. */
  public static final int ACK = 0x1f;

  public static final int RNR = 0x20;
  public static final int NAK_SEQUENCE = 0x60;
  public static final int NAK_INVALID_REQUEST = 0x61;
  public static final int NAK_REMOTE_ACCESS = 0x62;
  public static final int NAK_REMOTE_OPERATION = 0x63;

  public static final int CLASS_ACK = 0;
  public static final int CLASS_RNR = 1;
  public static final int CLASS_NAK = 3;

  private Syndrome() {}

  public static int kind(int syndrome) {
    return syndrome >>> 5 & 7;
  }

  /** {@return a NAK in words (IBA table 46)} */
  public static String text(int syndrome) {
    return Aeth.nakText(syndrome);
  }

  /** {@return how long an RNR NAK asks to wait} */
  public static long rnrNs(int syndrome) {
    return Aeth.rnrNs(syndrome);
  }

  /** {@return 4.096 us * 2^n, 0 for never (IBA 11.2.5.2)} */
  public static long ackTimeoutNs(int n) {
    return n == 0 ? 0 : 4096L << n;
  }
}
