package ib.core.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A flyweight: a view of the bytes of one header, in network order, where they lie. It allocates
 * nothing once made, and is wrapped around one header after another. Not thread-safe.
 */
public abstract class Header {
  private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final int size;
  private MemorySegment segment = MemorySegment.NULL;
  private long base;

  Header(int size) {
    this.size = size;
  }

  /**
   * Lays this view over bytes. They are neither read nor changed by that.
   *
   * @param bytes the memory
   * @param offset where the header begins
   * @throws IndexOutOfBoundsException if the header does not lie within the memory
   */
  public final void wrap(MemorySegment bytes, long offset) {
    Objects.checkFromIndexSize(offset, size, bytes.byteSize());
    segment = bytes;
    base = offset;
  }

  /** {@return the length of the header in bytes} */
  public final int size() {
    return size;
  }

  /** Sets every byte of the header to 0, and so every reserved bit. */
  public final void clear() {
    for (int i = 0; i < size; i++) {
      segment.set(U8, base + i, (byte) 0);
    }
  }

  final int u8(int at) {
    return segment.get(U8, base + at) & 0xff;
  }

  final void u8(int at, int value) {
    segment.set(U8, base + at, (byte) value);
  }

  final int u16(int at) {
    return segment.get(U16, base + at) & 0xffff;
  }

  final void u16(int at, int value) {
    segment.set(U16, base + at, (short) value);
  }

  /** The last three of four bytes. */
  final int u24(int at) {
    return u32(at - 1) & 0xffffff;
  }

  final void u24(int at, int value) {
    u32(at - 1, u32(at - 1) & 0xff000000 | value & 0xffffff);
  }

  final int u32(int at) {
    return segment.get(U32, base + at);
  }

  final void u32(int at, int value) {
    segment.set(U32, base + at, value);
  }

  final long u64(int at) {
    return segment.get(U64, base + at);
  }

  final void u64(int at, long value) {
    segment.set(U64, base + at, value);
  }

  /** Bits of a byte, shifted down. */
  final int bits(int at, int shift, int count) {
    return u8(at) >>> shift & (1 << count) - 1;
  }

  final void bits(int at, int shift, int count, int value) {
    int mask = (1 << count) - 1 << shift;
    u8(at, u8(at) & ~mask | value << shift & mask);
  }
}
