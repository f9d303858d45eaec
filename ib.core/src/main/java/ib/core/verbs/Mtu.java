package ib.core.verbs;

/** Payload bytes per packet; numbers of {@code ib_mtu}, as in PortInfo and path records. */
public enum Mtu implements Numbered {
  /** 256 bytes. */
  MTU_256(1),
  /** 512 bytes. */
  MTU_512(2),
  /** 1024 bytes. */
  MTU_1024(3),
  /** 2048 bytes. */
  MTU_2048(4),
  /** 4096 bytes. */
  MTU_4096(5);

  private static final Mtu[] VALUES = values();

  private final int value;

  Mtu(int value) {
    this.value = value;
  }

  /** {@return the number in {@code ib_mtu}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the payload bytes of a full packet, 256 to 4096} */
  public int bytes() {
    return 128 << value;
  }

  /**
   * The MTU of exactly so many bytes. Any context.
   *
   * @param bytes 256, 512, 1024, 2048 or 4096
   * @return the constant
   * @throws IbInvalidException if no MTU has that size
   */
  public static Mtu ofBytes(int bytes) {
    for (Mtu m : VALUES) {
      if (m.bytes() == bytes) {
        return m;
      }
    }
    throw new IbInvalidException("MTU of " + bytes + " bytes", "no such size", "use 256 to 4096");
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_mtu 1 to 5
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static Mtu of(int value) {
    return Numbered.of(VALUES, value, "use 1 (256 bytes) to 5 (4096 bytes)");
  }
}
