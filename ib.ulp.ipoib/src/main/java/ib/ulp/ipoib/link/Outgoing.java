package ib.ulp.ipoib.link;

import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;

/**
 * A packet to be sent: an EtherType and one or two pieces of memory. An instance may be set again
 * for each packet.
 */
public final class Outgoing {
  private static final int ND_HOP_LIMIT = 255;

  private int type;
  private MemorySegment head = MemorySegment.NULL;
  private long headAt;
  private int headLength;
  private MemorySegment body = MemorySegment.NULL;
  private long bodyAt;
  private int bodyLength;
  private int mss;

  public Outgoing() {}

  /** {@return this, now a packet in one piece} */
  public Outgoing set(int etherType, MemorySegment s, long at, int length) {
    type = etherType;
    head = s;
    headAt = at;
    headLength = length;
    return body(MemorySegment.NULL, 0, 0);
  }

  /** {@return this, now a packet of two pieces: the one that was set, and a body after it} */
  public Outgoing body(MemorySegment rest, long at, int length) {
    body = rest;
    bodyAt = at;
    bodyLength = length;
    mss = 0;
    return this;
  }

  /**
   * {@return this, now a long TCP packet that the device cuts into segments}
   *
   * @param bytes length of its headers
   * @param data length of the payload after the headers, in bytes
   * @param segment payload bytes of each segment
   */
  public Outgoing setLong(int type, MemorySegment s, long at, int bytes, int data, int segment) {
    set(type, s, at, bytes).body(s, at + bytes, data);
    mss = segment;
    return this;
  }

  /** {@return payload bytes of each segment if the packet is to be cut, else 0} */
  int mss() {
    return mss;
  }

  /** {@return length of the longest segment in bytes, without the encapsulation} */
  int segmentLength() {
    return headLength + Math.min(mss, bodyLength);
  }

  MemorySegment memory() {
    return head;
  }

  long at() {
    return headAt;
  }

  int headLength() {
    return headLength;
  }

  /** {@return whether the packet is in one piece with space for the encapsulation before it} */
  boolean contiguous() {
    return (bodyLength == 0 || mss > 0) && headAt >= Encapsulation.BYTES;
  }

  /** {@return a packet that has waited, from its bytes with the encapsulation} */
  static Outgoing of(byte[] waited) {
    MemorySegment s = MemorySegment.ofArray(waited);
    int length = waited.length - Encapsulation.BYTES;
    return new Outgoing().set(Encapsulation.type(s, 0), s, Encapsulation.BYTES, length);
  }

  public int type() {
    return type;
  }

  /** {@return the packet's length in bytes, without the encapsulation} */
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

  /** {@return whether the packet is ARP, RARP or neighbour discovery} */
  boolean isResolution() {
    return type == Encapsulation.ARP
        || type == Encapsulation.RARP
        || type == Encapsulation.IPV6
            && headLength > IpPacket.V6_HEADER
            && Octets.u8(head, headAt + 6) == IpPacket.ICMPV6
            && Octets.u8(head, headAt + 7) == ND_HOP_LIMIT;
  }

  /** Writes encapsulation and packet. {@return the number of bytes written} */
  int copyTo(MemorySegment to, long at) {
    Encapsulation.write(to, at, type, mss);
    copyPacket(to, at + Encapsulation.BYTES);
    return Encapsulation.BYTES + length();
  }

  /** {@return a copy of the packet, with the encapsulation} */
  byte[] toBytes() {
    byte[] bytes = new byte[Encapsulation.BYTES + length()];
    copyTo(MemorySegment.ofArray(bytes), 0);
    return bytes;
  }
}
