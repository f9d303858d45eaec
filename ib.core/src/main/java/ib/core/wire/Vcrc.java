package ib.core.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The variant CRC of an InfiniBand link (IBA vol. 1 section 7.8.2): 16 bits, polynomial 0x100B,
 * over all bytes from LRH through ICRC as they are. Sent least significant byte first. Any context.
 */
public final class Vcrc {
  /** Length in bytes. */
  public static final int BYTES = 2;

  private static final int POLYNOMIAL = 0xd008; // 0x100B, first bit sent = least significant
  private static final ValueLayout.OfShort LITTLE =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final short[] TABLE = new short[256];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      int c = i;
      for (int bit = 0; bit < 8; bit++) {
        c = (c & 1) != 0 ? c >>> 1 ^ POLYNOMIAL : c >>> 1;
      }
      TABLE[i] = (short) c;
    }
  }

  private Vcrc() {}

  /**
   * Calculates the VCRC of a packet.
   *
   * @param bytes the memory
   * @param lrh offset of LRH
   * @param length bytes from LRH through ICRC
   * @return 16 bits
   * @throws IndexOutOfBoundsException if they do not lie within the memory
   */
  public static int of(MemorySegment bytes, long lrh, int length) {
    int c = 0xffff;
    for (int i = 0; i < length; i++) {
      int b = bytes.get(ValueLayout.JAVA_BYTE, lrh + i);
      c = c >>> 8 ^ TABLE[(c ^ b) & 0xff] & 0xffff;
    }
    return c ^ 0xffff;
  }

  /**
   * Writes a VCRC as it is sent.
   *
   * @param bytes the memory
   * @param at where
   * @param vcrc 16 bits
   */
  public static void store(MemorySegment bytes, long at, int vcrc) {
    bytes.set(LITTLE, at, (short) vcrc);
  }

  /**
   * Reads a VCRC.
   *
   * @param bytes the memory
   * @param at where
   * @return 16 bits
   */
  public static int load(MemorySegment bytes, long at) {
    return bytes.get(LITTLE, at) & 0xffff;
  }
}
