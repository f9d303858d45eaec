package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and writes numbers in network byte order, at any alignment. */
public final class Octets {
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Octets() {}

  public static int u8(MemorySegment s, long at) {
    return s.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  public static void u8(MemorySegment s, long at, int value) {
    s.set(ValueLayout.JAVA_BYTE, at, (byte) value);
  }

  public static int u16(MemorySegment s, long at) {
    return s.get(U16, at) & 0xffff;
  }

  public static void u16(MemorySegment s, long at, int value) {
    s.set(U16, at, (short) value);
  }

  public static int u32(MemorySegment s, long at) {
    return s.get(U32, at);
  }

  public static void u32(MemorySegment s, long at, int value) {
    s.set(U32, at, value);
  }

  public static long u64(MemorySegment s, long at) {
    return s.get(U64, at);
  }

  public static void u64(MemorySegment s, long at, long value) {
    s.set(U64, at, value);
  }

  /** {@return six bytes, such as an Ethernet address} */
  public static long u48(MemorySegment s, long at) {
    return (long) u16(s, at) << 32 | u32(s, at + 2) & 0xffff_ffffL;
  }

  public static void u48(MemorySegment s, long at, long value) {
    u16(s, at, (int) (value >>> 32));
    u32(s, at + 2, (int) value);
  }

  public static Ip ip(MemorySegment s, long at) {
    return new Ip(u64(s, at), u64(s, at + 8));
  }

  public static void ip(MemorySegment s, long at, Ip value) {
    u64(s, at, value.high());
    u64(s, at + 8, value.low());
  }
}
