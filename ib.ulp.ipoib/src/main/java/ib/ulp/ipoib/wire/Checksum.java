package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The checksum of IP, ICMP, UDP and TCP (RFC 1071). */
public final class Checksum {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private static final int LONG_PAYLOAD = 256; // bytes

  private Checksum() {}

  /** Adds bytes to a sum that is not folded yet; an odd last byte is the high byte of a word. */
  public static long sum(MemorySegment s, long at, long length, long sum) {
    long end = at + length;
    long i = at;
    long words = 0; // in the machine's byte order, which the sum permits (RFC 1071 section 2)
    if (length >= LONG_PAYLOAD) {
      int most = Math.toIntExact(length) & ~7;
      words = s.isNative() ? ofNative(s, at, most) : ofHeap(s, at, most);
      i += most;
    }
    for (; i + 8 <= end; i += 8) {
      long eight = s.get(LONG, i);
      words += (eight & 0xffff_ffffL) + (eight >>> 32);
    }
    int folded = ~fold(words) & 0xffff;
    long total = sum + (SWAP ? Short.reverseBytes((short) folded) & 0xffff : folded);
    for (; i + 2 <= end; i += 2) {
      total += Octets.u16(s, i);
    }
    return i < end ? total + (Octets.u8(s, i) << 8) : total;
  }

  /**
   * Adds the words of a long payload. C2 makes vectors of the loop because its index is an int, it
   * is long in each call, and all segments are of one class; so headers and payloads on the heap
   * have loops of their own.
   */
  private static long ofNative(MemorySegment s, long at, int length) {
    long words = 0;
    for (int i = 0; i < length; i += 8) {
      long eight = s.get(LONG, at + i);
      words += (eight & 0xffff_ffffL) + (eight >>> 32);
    }
    return words;
  }

  /** As {@link #ofNative}. */
  private static long ofHeap(MemorySegment s, long at, int length) {
    long words = 0;
    for (int i = 0; i < length; i += 8) {
      long eight = s.get(LONG, at + i);
      words += (eight & 0xffff_ffffL) + (eight >>> 32);
    }
    return words;
  }

  /** {@return the checksum for a header, from a sum} */
  public static int fold(long sum) {
    long total = (sum >>> 32) + (sum & 0xffff_ffffL);
    while (total >>> 16 != 0) {
      total = (total >>> 16) + (total & 0xffff);
    }
    return (int) ~total & 0xffff;
  }

  /** {@return the sum of the pseudo header (RFC 768, RFC 8200 section 8.1)} */
  public static long pseudo(Ip from, Ip to, int protocol, long length) {
    long sum = protocol + length;
    for (Ip ip : new Ip[] {from, to}) {
      sum += ip.low() & 0xffff_ffffL;
      if (!ip.isV4()) {
        sum += (ip.low() >>> 32) + (ip.high() & 0xffff_ffffL) + (ip.high() >>> 32);
      }
    }
    return sum;
  }
}
