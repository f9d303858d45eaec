package ib.ulp.ipoib.link;

import ib.ulp.ipoib.wire.Encapsulation;
import java.lang.foreign.MemorySegment;

/** A packet to be sent: a type and one or two pieces of memory. Reusable, as it was set last. */
public final class Outgoing {
  private int type;
  private MemorySegment head = MemorySegment.NULL;
  private long headAt;
  private int headLength;
  private MemorySegment body = MemorySegment.NULL;
  private long bodyAt;
  private int bodyLength;

  public Outgoing() {}

  /** {@return this, now a packet in one piece} */
  public Outgoing set(int etherType, MemorySegment s, long at, int length) {
    return set(etherType, s, at, length, MemorySegment.NULL, 0, 0);
  }

  /** {@return this, now a packet of a header and what follows it} */
  public Outgoing set(
      int etherType,
      MemorySegment header,
      long headerAt,
      int headerLength,
      MemorySegment rest,
      long restAt,
      int restLength) {
    type = etherType;
    head = header;
    headAt = headerAt;
    headLength = headerLength;
    body = rest;
    bodyAt = restAt;
    bodyLength = restLength;
    return this;
  }

  /** {@return a packet that has waited, with its encapsulation} */
  static Outgoing of(byte[] waited) {
    MemorySegment s = MemorySegment.ofArray(waited);
    int length = waited.length - Encapsulation.BYTES;
    return new Outgoing().set(Encapsulation.type(s, 0), s, Encapsulation.BYTES, length);
  }

  public int type() {
    return type;
  }

  /** {@return bytes, without the encapsulation} */
  public int length() {
    return headLength + bodyLength;
  }

  /** Writes the packet, without the encapsulation. */
  public void copyPacket(MemorySegment to, long at) {
    MemorySegment.copy(head, headAt, to, at, headLength);
    if (bodyLength > 0) {
      MemorySegment.copy(body, bodyAt, to, at + headLength, bodyLength);
    }
  }

  /** Writes encapsulation and packet. {@return how many bytes} */
  int copyTo(MemorySegment to, long at) {
    Encapsulation.write(to, at, type);
    copyPacket(to, at + Encapsulation.BYTES);
    return Encapsulation.BYTES + length();
  }

  /** {@return the packet in memory of its own, with the encapsulation} */
  byte[] toBytes() {
    byte[] bytes = new byte[Encapsulation.BYTES + length()];
    copyTo(MemorySegment.ofArray(bytes), 0);
    return bytes;
  }
}
