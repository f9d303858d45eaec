package ib.ulp.ipoib.wire;

import java.lang.foreign.MemorySegment;

/**
 * The four bytes in front of each packet: the EtherType and two reserved ones (RFC 4391 section 6).
 */
public final class Encapsulation {
  public static final int BYTES = 4;
  public static final int IPV4 = 0x0800;
  public static final int ARP = 0x0806;
  public static final int RARP = 0x8035;
  public static final int IPV6 = 0x86DD;

  private static final int RESERVED = 2; // its offset

  private Encapsulation() {}

  public static void write(MemorySegment s, long at, int type) {
    write(s, at, type, 0); // the reserved bytes are sent as 0 and ignored when received
  }

  /** Writes it with a reserved field, for a receiver that reads the field. */
  public static void write(MemorySegment s, long at, int type, int reserved) {
    Octets.u32(s, at, type << 16 | reserved);
  }

  /** {@return the reserved field, which means nothing but between ends that have agreed on it} */
  public static int reserved(MemorySegment s, long at) {
    return Octets.u16(s, at + RESERVED);
  }

  public static int type(MemorySegment s, long at) {
    return Octets.u16(s, at);
  }

  /** {@return whether the type is one that this link carries (W1)} */
  public static boolean carries(int type) {
    return type == IPV4 || type == ARP || type == RARP || type == IPV6;
  }
}
