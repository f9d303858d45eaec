package ib.ulp.ipoib.link;

import ib.core.verbs.PortAttr;

/** Computes the speed of a port: the speed of one link lane times the number of lanes (D10). */
final class Speed {
  private Speed() {}

  /** {@return bits per second; 0 when speed or width of the port are unknown} */
  static long of(PortAttr attr) {
    return lane(attr.activeSpeed()) * width(attr.activeWidth());
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
