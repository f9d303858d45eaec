package ib.engine.fault;

import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Flips one bit of a packet: in the payload, or in a header field that the ICRC covers (IBA 7.8.1).
 */
final class Damage {
  private static final int FIELDS = 5;

  private Damage() {}

  /**
   * Flips a bit.
   *
   * @param p a copy whose payload, if there is one, is one piece of the copy's own memory
   * @param silent whether only the payload is changed and the ICRC still matches
   * @param chance chooses the bit
   */
  static void to(Packet p, boolean silent, Chance chance) {
    int bits = p.payload.length() * Byte.SIZE;
    p.damaged |= !silent;
    p.sourcePort = 0; // the packet no longer equals the one on the wire
    if (bits > 0 && (silent || chance.below(FIELDS) > 0)) {
      long bit = chance.below(bits);
      MemorySegment bytes = p.payload.segment(0);
      long at = p.payload.offset(0) + (bit >>> 3);
      byte b = bytes.get(ValueLayout.JAVA_BYTE, at);
      bytes.set(ValueLayout.JAVA_BYTE, at, (byte) (b ^ 1 << (bit & 7)));
    } else if (!silent) {
      header(p, chance);
    }
  }

  private static void header(Packet p, Chance chance) {
    long bit = chance.next();
    switch ((int) chance.below(FIELDS)) {
      case 0 -> p.psn ^= 1 << (bit & 15);
      case 1 -> p.immData ^= 1 << (bit & 31);
      case 2 -> p.remoteAddress ^= 1L << (bit & 63);
      case 3 -> p.rkey ^= 1 << (bit & 31);
      default -> p.syndrome ^= 1 << (bit & 7);
    }
  }
}
