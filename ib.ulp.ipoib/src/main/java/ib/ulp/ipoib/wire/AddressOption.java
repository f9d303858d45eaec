package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The link-layer address options of neighbour discovery: 24 bytes, with two zero bytes before the
 * address (RFC 4391 section 9.3).
 */
public final class AddressOption {
  public static final int BYTES = 24;
  public static final int SOURCE = 1;
  public static final int TARGET = 2;
  private static final int UNITS = BYTES / 8;
  private static final int PADDING = 2;

  private AddressOption() {}

  public static void write(MemorySegment s, long at, int type, LinkAddress address) {
    Octets.u8(s, at, type);
    Octets.u8(s, at + 1, UNITS);
    Octets.u16(s, at + 2, 0);
    address.write(s, at + 2 + PADDING);
  }

  /**
   * Searches for an option. Never throws, whatever the bytes are.
   *
   * @param at offset of the first option
   * @param end offset after the last option
   * @return the address; null when there is none or the options are malformed
   */
  public static @Nullable LinkAddress find(MemorySegment s, long at, long end, int type) {
    long option = at;
    while (option + 8 <= end) {
      int bytes = 8 * Octets.u8(s, option + 1);
      if (bytes == 0 || option + bytes > end) {
        return null; // RFC 4861 section 4.6: discarded
      }
      if (Octets.u8(s, option) == type && bytes == BYTES) {
        return LinkAddress.read(s, option + 2 + PADDING);
      }
      option += bytes;
    }
    return null;
  }
}
