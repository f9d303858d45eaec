package ib.engine.qp;

import ib.engine.wire.Packet;

/**
 * How long a packet is on the wire (IBA vol. 1 chapter 5), also one that stands for several (D5):
 * the same numbers whether or not the wire segments.
 */
final class Framing {
  private static final int LRH_BTH_ICRC = 8 + 12 + 4; // the VCRC does not count (IBA 16.1.3.5)
  private static final int GRH = 40;
  private static final int AETH = 4;
  private static final byte[] EXTENDED = new byte[256];

  static {
    for (int op = 0; op < EXTENDED.length; op++) {
      EXTENDED[op] = (byte) extended(op);
    }
  }

  private Framing() {}

  /** Bytes of the extended headers of an opcode, 0 for an unknown one (IBA 9.2, table 38). */
  private static int extended(int opcode) {
    int datagram = (opcode & 0xe0) == Opcode.UD ? 8 : 0;
    return datagram
        + switch (opcode & 0x1f) {
          case 0x03, 0x05, 0x09, 0x16, 0x17 -> 4; // ImmDt or IETH
          case 0x06, 0x0A, 0x0C, 0x1D -> 16; // RETH
          case 0x0B -> 20; // RETH, ImmDt
          case 0x0D, 0x0F, 0x10, 0x11 -> AETH;
          case 0x12 -> 12; // AETH, AtomicAckETH
          case 0x13, 0x14 -> 28; // AtomicETH
          case 0x1C -> 20; // FETH, RETH
          default -> 0;
        };
  }

  /** {@return how many packets it is or stands for} */
  static int packets(Packet p) {
    return p.opcode == (Opcode.RC | Opcode.READ_REQUEST) ? 1 : p.psnCount;
  }

  /** {@return its data in units of 4 octets, from the LRH to the ICRC} */
  static int words(Packet p, int packets) {
    int header = LRH_BTH_ICRC + (p.global ? GRH : 0);
    int ends = p.opcode == (Opcode.RC | Opcode.READ_RESPONSE_ONLY) && packets > 1 ? AETH : 0;
    int bytes = header * packets + EXTENDED[p.opcode & 0xff] + ends + p.payload.length() + 3;
    return bytes >> 2;
  }
}
