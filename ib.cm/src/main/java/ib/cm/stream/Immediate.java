package ib.cm.stream;

/** The immediate of a message: three bits of type, and a value (RS-3). */
enum Immediate {
  /** Bytes of data. */
  DATA(0),
  /** The sequence number that the other side must not reach. */
  CREDITS(4),
  /** Index of a region that the other side lets this side write directly. */
  REGION(6),
  /** One of the constants. */
  CONTROL(7),
  /** Types that are reserved. */
  OTHER(-1);

  /** The other side reads and writes no more. */
  static final int DISCONNECT = 0;

  /** The other side writes no more. */
  static final int SHUTDOWN = 2;

  private static final int SHIFT = 29;
  private static final int VALUE = (1 << SHIFT) - 1;

  private final int type;

  Immediate(int type) {
    this.type = type;
  }

  /** {@return the 32 bits} */
  int of(int value) {
    return type << SHIFT | value & VALUE;
  }

  static Immediate type(int immediate) {
    return switch (immediate >>> SHIFT) {
      case 0 -> DATA;
      case 4 -> CREDITS;
      case 6 -> REGION;
      case 7 -> CONTROL;
      default -> OTHER;
    };
  }

  static int value(int immediate) {
    return immediate & VALUE;
  }
}
