package ib.core.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Common header of management datagrams (IBA vol. 1 section 13.4.3): 24 bytes. See {@link Header}
 * for how it is used.
 */
public final class MadHeader extends Header {
  /** Length in bytes. */
  public static final int BYTES = 24;

  /** The base version (IBA 13.4.3). */
  public static final int BASE_VERSION = 1;

  /** Length of a whole MAD in bytes (IBA 13.4.2). */
  public static final int MAD_BYTES = 256;

  /** Makes a view of nothing yet. */
  public MadHeader() {
    super(BYTES);
  }

  /** {@return the version of this header, 1} */
  public int baseVersion() {
    return u8(0);
  }

  /**
   * Sets it.
   *
   * @param value the version of this header, 1
   */
  public void baseVersion(int value) {
    u8(0, value);
  }

  /** {@return the management class, 8 bits} */
  public int mgmtClass() {
    return u8(1);
  }

  /**
   * Sets it.
   *
   * @param value the management class, 8 bits
   */
  public void mgmtClass(int value) {
    u8(1, value);
  }

  /** {@return the version of the class, 8 bits} */
  public int classVersion() {
    return u8(2);
  }

  /**
   * Sets it.
   *
   * @param value the version of the class, 8 bits
   */
  public void classVersion(int value) {
    u8(2, value);
  }

  /** {@return whether it answers another one} */
  public boolean response() {
    return bits(3, 7, 1) != 0;
  }

  /**
   * Sets it.
   *
   * @param value whether it answers another one
   */
  public void response(boolean value) {
    bits(3, 7, 1, value ? 1 : 0);
  }

  /** {@return the method without the response bit, 7 bits} */
  public int method() {
    return bits(3, 0, 7);
  }

  /**
   * Sets it.
   *
   * @param value the method without the response bit, 7 bits
   */
  public void method(int value) {
    bits(3, 0, 7, value);
  }

  /** {@return the status, 16 bits} */
  public int status() {
    return u16(4);
  }

  /**
   * Sets it.
   *
   * @param value the status, 16 bits
   */
  public void status(int value) {
    u16(4, value);
  }

  /** {@return 16 bits that the class defines; of directed routes hop pointer and hop count} */
  public int classSpecific() {
    return u16(6);
  }

  /**
   * Sets it.
   *
   * @param value 16 bits that the class defines; of directed routes hop pointer and hop count
   */
  public void classSpecific(int value) {
    u16(6, value);
  }

  /** {@return the transaction identifier} */
  public long transactionId() {
    return u64(8);
  }

  /**
   * Sets it.
   *
   * @param value the transaction identifier
   */
  public void transactionId(long value) {
    u64(8, value);
  }

  /** {@return the attribute identifier, 16 bits} */
  public int attributeId() {
    return u16(16);
  }

  /**
   * Sets it.
   *
   * @param value the attribute identifier, 16 bits
   */
  public void attributeId(int value) {
    u16(16, value);
  }

  /** {@return the attribute modifier} */
  public int attributeModifier() {
    return u32(20);
  }

  /**
   * Sets it.
   *
   * @param value the attribute modifier
   */
  public void attributeModifier(int value) {
    u32(20, value);
  }

  /**
   * Judges a datagram as a MAD, before any agent is asked: a pure total function of the bytes.
   *
   * @param bytes the memory; alive
   * @param at offset of the header
   * @param length bytes of the datagram
   * @return why it is dropped, or null when it may be looked at
   */
  public static @Nullable DropReason check(MemorySegment bytes, long at, int length) {
    if (at < 0 || length < BYTES || at > bytes.byteSize() - length) {
      return DropReason.SHORT;
    }
    if (bytes.get(ValueLayout.JAVA_BYTE, at) != BASE_VERSION) {
      return DropReason.MAD_VERSION;
    }
    return length == MAD_BYTES ? null : DropReason.LENGTH;
  }
}
