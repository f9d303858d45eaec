package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The checksum of IP, ICMP, UDP and TCP (RFC 1071). */
public final class Checksum {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Checksum() {}

  /** Adds bytes to a sum that is not folded yet; an odd last byte is the high one of a word. */
  public static long sum(MemorySegment s, long at, long length, long sum) {
    long end = at + length;
    long i = at;
    long total = sum;
    for (; i + 4 <= end; i += 4) {
      total += s.get(INT, i) & 0xffff_ffffL;
    }
    if (i + 2 <= end) {
      total += Octets.u16(s, i);
      i += 2;
    }
    return i < end ? total + (Octets.u8(s, i) << 8) : total;
  }

  /** {@return 16 bits to put into a header} */
  public static int fold(long sum) {
    long total = (sum >>> 32) + (sum & 0xffff_ffffL);
    while (total >>> 16 != 0) {
      total = (total >>> 16) + (total & 0xffff);
    }
    return (int) ~total & 0xffff;
  }

  /** The sum of the pseudo header (RFC 768, RFC 8200 section 8.1). */
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
