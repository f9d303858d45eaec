package ib.core.mad.smp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A field of an attribute, as the tables of the specification give it: an offset and a length in
 * bits, counted from the most significant bit of the first byte. The attribute itself is memory
 * that the caller owns. Any context; allocates nothing.
 */
public interface MadField {
  /**
   * A row of the specification's table.
   *
   * @param label the name that {@code smpquery} and {@code perfquery} print
   * @param bit offset of the field's first bit
   * @param bits how many bits, 1 to 64
   */
  record Row(String label, int bit, int bits) {}

  /** {@return the field's row} */
  Row row();

  /** {@return the name that {@code smpquery} and {@code perfquery} print} */
  default String label() {
    return row().label();
  }

  /** {@return offset of the field's first bit} */
  default int bit() {
    return row().bit();
  }

  /** {@return how many bits the field has, 1 to 64} */
  default int bits() {
    return row().bits();
  }

  /**
   * Reads it.
   *
   * @param attribute the attribute from its first byte on
   * @return the value; unsigned when shorter than 64 bits
   */
  default long of(MemorySegment attribute) {
    return read(attribute, bit(), bits());
  }

  /**
   * Reads one of at most 31 bits.
   *
   * @param attribute the attribute from its first byte on
   * @return the value; of 32 bits its bits
   */
  default int in(MemorySegment attribute) {
    return (int) of(attribute);
  }

  /**
   * Writes it; what lies beside it stays.
   *
   * @param attribute the attribute from its first byte on
   * @param value the value; bits that the field has not are ignored
   */
  default void set(MemorySegment attribute, long value) {
    write(attribute, bit(), bits(), value);
  }

  /**
   * Reads bits.
   *
   * @param from the memory
   * @param bit offset of the first bit
   * @param bits how many, 1 to 64
   * @return their value
   */
  static long read(MemorySegment from, int bit, int bits) {
    long value = 0;
    int last = bit + bits;
    for (int at = bit; at < last; ) {
      int take = Math.min(8 - (at & 7), last - at);
      int octet = from.get(ValueLayout.JAVA_BYTE, at >>> 3) & 0xff;
      value = value << take | octet >>> 8 - (at & 7) - take & (1 << take) - 1;
      at += take;
    }
    return value;
  }

  /**
   * Writes bits.
   *
   * @param to the memory
   * @param bit offset of the first bit
   * @param bits how many, 1 to 64
   * @param value their value
   */
  static void write(MemorySegment to, int bit, int bits, long value) {
    int last = bit + bits;
    for (int at = bit; at < last; ) {
      int take = Math.min(8 - (at & 7), last - at);
      int shift = 8 - (at & 7) - take;
      int mask = (1 << take) - 1 << shift;
      int octet = to.get(ValueLayout.JAVA_BYTE, at >>> 3);
      int piece = (int) (value >>> last - at - take) << shift;
      to.set(ValueLayout.JAVA_BYTE, at >>> 3, (byte) (octet & ~mask | piece & mask));
      at += take;
    }
  }
}
