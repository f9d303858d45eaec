package ib.engine.wire;

import ib.core.wire.Aeth;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Grh;
import ib.core.wire.Icrc;
import ib.core.wire.Lrh;

/**
 * How long a packet is on the wire (IBA vol. 1 chapter 5), also one that stands for several (D5):
 * the same numbers whether or not the wire segments.
 */
public final class Framing {
  // the VCRC does not count (IBA 16.1.3.5)
  private static final int LRH_BTH_ICRC = Lrh.BYTES + Bth.BYTES + Icrc.BYTES;
  private static final byte[] EXTENDED = new byte[256];

  static {
    for (int op = 0; op < EXTENDED.length; op++) {
      BthOpcode known = BthOpcode.of(op);
      EXTENDED[op] = known == null ? 0 : (byte) (known.headerBytes() - Bth.BYTES);
    }
  }

  private Framing() {}

  /**
   * How many packets a packet stands for.
   *
   * @param p the packet
   * @return 1 on a wire that segments
   */
  public static int packets(Packet p) {
    return p.opcode == (Opcode.RC | Opcode.READ_REQUEST) ? 1 : p.psnCount;
  }

  /**
   * Returns the length of a packet on the link, from the LRH to the ICRC.
   *
   * @param p the packet
   * @param packets how many it stands for
   * @return units of 4 octets
   */
  public static int words(Packet p, int packets) {
    if (p.mss > 0) {
      int last = p.payload.length() - p.headerLength - (packets - 1) * p.mss;
      return (packets - 1) * words(p.opcode, p.global, 1, p.headerLength + p.mss)
          + words(p.opcode, p.global, 1, p.headerLength + last);
    }
    return words(p.opcode, p.global, packets, p.payload.length());
  }

  /** {@return the same of packets that are not made} */
  public static int words(int opcode, boolean global, int packets, int payload) {
    int header = LRH_BTH_ICRC + (global ? Grh.BYTES : 0);
    int ends = opcode == (Opcode.RC | Opcode.READ_RESPONSE_ONLY) && packets > 1 ? Aeth.BYTES : 0;
    int bytes = header * packets + EXTENDED[opcode & 0xff] + ends + payload + 3;
    return bytes >> 2;
  }
}
