package ib.core.sa;

import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotThreadSafe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * A record of subnet administration (IBA vol. 1 section 15.2.5): bytes as on the wire, read and
 * written by field. What is set counts: setting a field sets its bit in the component mask, so a
 * new record with some fields set is a query for these. Any number of threads may read a record at
 * the same time; a thread that changes a record must be its only user (S16).
 *
 * @param <S> the record itself
 * @param <F> its fields
 */
public abstract class SaRecord<S extends SaRecord<S, F>, F extends Enum<F> & SaField> {
  private final int attributeId;
  private final Class<F> fields;
  private final byte[] bytes;
  private long componentMask;

  SaRecord(int attributeId, int size, Class<F> fields) {
    this.attributeId = attributeId;
    this.fields = fields;
    this.bytes = new byte[size];
  }

  @SuppressWarnings("unchecked") // S is the class itself
  private S self() {
    return (S) this;
  }

  /** {@return a new, empty record of the same kind} */
  public abstract S fresh();

  /** {@return a copy, with the same component mask} */
  public final S copy() {
    return fresh().read(MemorySegment.ofArray(bytes), 0).componentMask(componentMask);
  }

  /** {@return the attribute identifier} */
  public final int attributeId() {
    return attributeId;
  }

  /** {@return bytes of the record, without the padding in a table} */
  public final int size() {
    return bytes.length;
  }

  /** {@return the distance of two records of a table in units of 8 bytes (IBA 15.2.1.1)} */
  public final int attributeOffset() {
    return (bytes.length + 7) / 8;
  }

  /** {@return which components count} */
  public final long componentMask() {
    return componentMask;
  }

  /**
   * {@return this, with another component mask}
   *
   * @param mask as of the header of subnet administration
   */
  @NotThreadSafe
  public final S componentMask(long mask) {
    componentMask = mask;
    return self();
  }

  /**
   * Asks for a component.
   *
   * @param field the field
   * @return whether it counts
   */
  public final boolean has(F field) {
    return (componentMask & field.mask()) != 0;
  }

  /**
   * Reads a field of at most 64 bits.
   *
   * @param field the field
   * @return its value, unsigned
   * @throws IbInvalidException for a longer field
   */
  public final long number(F field) {
    SaField.Place p = narrow(field);
    long v = 0;
    for (int i = p.bit(); i < p.bit() + p.bits(); i++) {
      v = v << 1 | bytes[i >> 3] >> (7 - (i & 7)) & 1;
    }
    return v;
  }

  /**
   * Reads a field of at most 32 bits.
   *
   * @param field the field
   * @return its value
   * @throws IbInvalidException for a longer field
   */
  public final int value(F field) {
    if (field.place().bits() > 32) {
      throw new IbInvalidException(field.name(), field.place().bits() + " bits", "number()");
    }
    return (int) number(field);
  }

  /**
   * {@return this, with a field of at most 64 bits set}
   *
   * @param field the field
   * @param value its value; bits that the field does not have must be 0
   * @throws IbInvalidException for a longer field, or a value that is too great
   */
  @NotThreadSafe
  public final S set(F field, long value) {
    SaField.Place p = narrow(field);
    if (p.bits() < 64 && value >>> p.bits() != 0) {
      throw new IbInvalidException(
          getClass().getSimpleName() + "." + field,
          "0x" + Long.toHexString(value),
          p.bits() + " bits");
    }
    for (int i = 0; i < p.bits(); i++) {
      int at = p.bit() + p.bits() - 1 - i;
      int bit = 0x80 >> (at & 7);
      bytes[at >> 3] =
          (byte) ((value >>> i & 1) == 0 ? bytes[at >> 3] & ~bit : bytes[at >> 3] | bit);
    }
    componentMask |= field.mask();
    return self();
  }

  private SaField.Place narrow(F field) {
    if (field.place().bits() > 64) {
      throw new IbInvalidException(
          getClass().getSimpleName() + "." + field,
          field.place().bits() + " bits",
          "gid() or raw()");
    }
    return field.place();
  }

  /**
   * Reads a GID.
   *
   * @param field a field of 128 bits
   * @return the GID
   */
  public final Gid gid(F field) {
    return Gid.of(raw(field));
  }

  /**
   * {@return this, with a GID set}
   *
   * @param field a field of 128 bits
   * @param gid the GID
   */
  @NotThreadSafe
  public final S set(F field, Gid gid) {
    return set(field, gid.toBytes());
  }

  /**
   * Reads a field that begins and ends with a byte.
   *
   * @param field the field
   * @return its bytes, a copy
   */
  public final byte[] raw(F field) {
    int at = field.place().bit() / 8;
    return Arrays.copyOfRange(bytes, at, at + field.place().bits() / 8);
  }

  /**
   * {@return this, with a field of whole bytes set}
   *
   * @param field the field
   * @param value its bytes; fewer are filled up with 0
   * @throws IbInvalidException for more than the field has
   */
  @NotThreadSafe
  public final S set(F field, byte[] value) {
    SaField.Place p = field.place();
    if (value.length > p.bits() / 8) {
      throw new IbInvalidException(
          getClass().getSimpleName() + "." + field,
          value.length + " bytes",
          p.bits() / 8 + " bytes");
    }
    System.arraycopy(Arrays.copyOf(value, p.bits() / 8), 0, bytes, p.bit() / 8, p.bits() / 8);
    componentMask |= field.mask();
    return self();
  }

  /**
   * Reads a text that ends with the first 0.
   *
   * @param field a field of whole bytes
   * @return the text, UTF-8
   */
  public final String text(F field) {
    byte[] raw = raw(field);
    int end = 0;
    while (end < raw.length && raw[end] != 0) {
      end++;
    }
    return new String(raw, 0, end, StandardCharsets.UTF_8);
  }

  /**
   * {@return this, with a text set}
   *
   * @param field a field of whole bytes
   * @param text the text
   */
  @NotThreadSafe
  public final S set(F field, String text) {
    return set(field, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Takes the bytes of the wire; the component mask is left alone.
   *
   * @param from the memory
   * @param at where the record begins
   * @return this
   * @throws IndexOutOfBoundsException if it does not lie within the memory
   */
  @NotThreadSafe
  public final S read(MemorySegment from, long at) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, 0, bytes.length);
    return self();
  }

  /**
   * Gives the bytes of the wire.
   *
   * @param to the memory
   * @param at where the record is to begin
   * @throws IndexOutOfBoundsException if it does not lie within the memory
   */
  public final void write(MemorySegment to, long at) {
    MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, at, bytes.length);
  }

  /**
   * Compares with a query, as a subnet administrator does: every component that counts in the query
   * must be equal. Selectors are compared like numbers; who knows better clears their bits.
   *
   * @param query the query
   * @return whether this is an answer
   */
  public final boolean matches(S query) {
    for (F f : EnumSet.allOf(fields)) {
      if (query.has(f) && !sameBits(query, f.place())) {
        return false;
      }
    }
    return true;
  }

  private boolean sameBits(S other, SaField.Place p) {
    byte[] b = ((SaRecord<S, F>) other).bytes;
    for (int i = p.bit(); i < p.bit() + p.bits(); i++) {
      if (((bytes[i >> 3] ^ b[i >> 3]) >> (7 - (i & 7)) & 1) != 0) {
        return false;
      }
    }
    return true;
  }

  /** {@return whether the other is of the same kind and has the same bytes} */
  @Override
  public final boolean equals(Object other) {
    return other instanceof SaRecord<?, ?> r
        && r.attributeId == attributeId
        && Arrays.equals(r.bytes, bytes);
  }

  @Override
  public final int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** {@return the fields that are not 0} */
  @Override
  public final String toString() {
    StringJoiner text = new StringJoiner(" ", getClass().getSimpleName() + "{", "}");
    for (F f : EnumSet.allOf(fields)) {
      int bits = f.place().bits();
      if (bits <= 64 ? number(f) != 0 : !allZero(raw(f))) {
        String value =
            bits == 128
                ? gid(f).toString()
                : bits > 64 ? text(f) : "0x" + Long.toHexString(number(f));
        text.add(f.name().toLowerCase(Locale.ROOT) + "=" + value);
      }
    }
    return text.toString();
  }

  private static boolean allZero(byte[] raw) {
    for (byte b : raw) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }
}
