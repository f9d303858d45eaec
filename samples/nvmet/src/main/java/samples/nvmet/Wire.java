package samples.nvmet;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Numbers and texts in the byte order of NVMe, which is little-endian everywhere. */
final class Wire {
  private static final ValueLayout.OfShort U16 = layout(ValueLayout.JAVA_SHORT_UNALIGNED);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Wire() {}

  private static ValueLayout.OfShort layout(ValueLayout.OfShort any) {
    return any.withOrder(ByteOrder.LITTLE_ENDIAN);
  }

  static int u8(MemorySegment s, long at) {
    return s.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  static int u16(MemorySegment s, long at) {
    return s.get(U16, at) & 0xffff;
  }

  static int u24(MemorySegment s, long at) {
    return u16(s, at) | u8(s, at + 2) << 16;
  }

  static int u32(MemorySegment s, long at) {
    return s.get(U32, at);
  }

  static long u64(MemorySegment s, long at) {
    return s.get(U64, at);
  }

  static void u8(MemorySegment s, long at, int value) {
    s.set(ValueLayout.JAVA_BYTE, at, (byte) value);
  }

  static void u16(MemorySegment s, long at, int value) {
    s.set(U16, at, (short) value);
  }

  static void u24(MemorySegment s, long at, int value) {
    u16(s, at, value);
    u8(s, at + 2, value >>> 16);
  }

  static void u32(MemorySegment s, long at, int value) {
    s.set(U32, at, value);
  }

  static void u64(MemorySegment s, long at, long value) {
    s.set(U64, at, value);
  }

  /** Writes a text with its first bytes only, or with spaces behind it. */
  static void padded(MemorySegment s, long at, int length, String text) {
    s.asSlice(at, length).fill((byte) ' ');
    put(s, at, Math.min(length, text.length()), text);
  }

  /** Writes a text that ends with a zero byte. */
  static void terminated(MemorySegment s, long at, int length, String text) {
    s.asSlice(at, length).fill((byte) 0);
    put(s, at, Math.min(length - 1, text.length()), text);
  }

  private static void put(MemorySegment s, long at, int length, String text) {
    byte[] bytes = Arrays.copyOf(text.getBytes(US_ASCII), length);
    MemorySegment.copy(bytes, 0, s, ValueLayout.JAVA_BYTE, at, length);
  }

  /** {@return a text up to its first zero byte; what has none ends with the field} */
  static String text(MemorySegment s, long at, int length) {
    byte[] bytes = s.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    int end = 0;
    while (end < length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, US_ASCII);
  }
}
