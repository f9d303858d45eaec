package ib.ulp.ipoib.link;

import ib.core.verbs.PortAttr;

/** Computes the speed of a port: the speed of one link lane times the number of lanes (D10). */
final class Speed {
  private static final int[] RATES = {
    0, 0, 2, 10, 30, 5, 20, 40, 60, 80, 120, 14, 56, 112, 168, 25, 100, 200, 300, 28, 50, 400, 600
  };
  private static final long HALF = 500_000_000L;

  private Speed() {}

  /** {@return bits per second; 0 when speed or width of the port are unknown} */
  static long of(PortAttr attr) {
    return lane(attr.activeSpeed()) * width(attr.activeWidth());
  }

  /** {@return bits per second of a static rate (IBA vol. 1 table 224); 0 for an unknown code} */
  static long ofRate(int code) {
    return code < RATES.length ? RATES[code] * 1_000_000_000L + (code == 2 ? HALF : 0) : 0;
  }

  private static long lane(int code) {
    return switch (code) {
      case 1 -> 2_500_000_000L;
      case 2 -> 5_000_000_000L;
      case 4, 8 -> 10_000_000_000L;
      case 16 -> 14_000_000_000L;
      case 32 -> 25_000_000_000L;
      case 64 -> 50_000_000_000L;
      case 128 -> 100_000_000_000L;
      case 256 -> 200_000_000_000L;
      default -> 0;
    };
  }

  private static int width(int code) {
    return switch (code) {
      case 1 -> 1;
      case 2 -> 4;
      case 4 -> 8;
      case 8 -> 12;
      case 16 -> 2;
      default -> 0;
    };
  }
}
