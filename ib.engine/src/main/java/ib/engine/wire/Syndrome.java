package ib.engine.wire;

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

  /** In units of 10 us. */
  private static final int[] RNR_TIMER = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private Syndrome() {}

  public static int kind(int syndrome) {
    return syndrome >>> 5 & 7;
  }

  /** {@return a NAK in words (IBA table 46)} */
  public static String text(int syndrome) {
    return switch (syndrome) {
      case NAK_SEQUENCE -> "PSN sequence error";
      case NAK_INVALID_REQUEST -> "invalid request";
      case NAK_REMOTE_ACCESS -> "remote access error";
      case NAK_REMOTE_OPERATION -> "remote operational error";
      default -> String.format("syndrome 0x%02x", syndrome);
    };
  }

  /** {@return how long an RNR NAK asks to wait} */
  public static long rnrNs(int syndrome) {
    return RNR_TIMER[syndrome & 31] * 10_000L;
  }

  /** {@return 4.096 us * 2^n, 0 for never (IBA 11.2.5.2)} */
  public static long ackTimeoutNs(int n) {
    return n == 0 ? 0 : 4096L << n;
  }
}
