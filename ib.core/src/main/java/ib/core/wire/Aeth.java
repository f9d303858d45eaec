package ib.core.wire;

/**
 * Acknowledge extended transport header (IBA vol. 1 section 9.3.5): 4 bytes. See {@link Header} for
 * how it is used.
 */
public final class Aeth extends Header {
  /** Length in bytes. */
  public static final int BYTES = 4;

  private static final double NS_PER_MS = 1_000_000;

  /** In units of 10 us. */
  private static final int[] RNR_TIMER = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  /** Makes a view of nothing yet. */
  public Aeth() {
    super(BYTES);
  }

  /** {@return the syndrome, 8 bits: ACK, RNR NAK or NAK, with its value} */
  public int syndrome() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the syndrome, 8 bits: ACK, RNR NAK or NAK, with its value
   */
  public void syndrome(int value) {
    u8(0, value);
  }

  /** {@return the message sequence number, 24 bits} */
  public int msn() {
    return u24(1);
  }

  /**
   * Sets it.
   *
   * @param value the message sequence number, 24 bits
   */
  public void msn(int value) {
    u24(1, value);
  }

  /** {@return the syndrome in words, for example {@code RNR NAK, wait 0.64 ms}} */
  public String text() {
    int syndrome = syndrome();
    return switch (syndrome >>> 5) {
      case 0 -> "ACK";
      case 1 -> "RNR NAK, wait " + rnrNs(syndrome) / NS_PER_MS + " ms";
      default -> "NAK, " + nakText(syndrome);
    };
  }

  /**
   * {@return a NAK in words (IBA table 46)}
   *
   * @param syndrome 8 bits
   */
  public static String nakText(int syndrome) {
    return switch (syndrome) {
      case 0x60 -> "PSN sequence error";
      case 0x61 -> "invalid request";
      case 0x62 -> "remote access error";
      case 0x63 -> "remote operational error";
      default -> String.format("syndrome 0x%02x", syndrome);
    };
  }

  /**
   * {@return how long an RNR NAK asks to wait, in nanoseconds}
   *
   * @param syndrome its lower 5 bits are the code of IBA table 45
   */
  public static long rnrNs(int syndrome) {
    return RNR_TIMER[syndrome & 31] * 10_000L;
  }
}
