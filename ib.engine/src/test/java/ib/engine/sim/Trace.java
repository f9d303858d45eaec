package ib.engine.sim;

import ib.engine.wire.Packet;

/**
 * A hash of all that happens, in order: two runs of one seed must agree. {@code
 * -Dib.sim.trace=true} prints every packet.
 */
final class Trace {
  private static final boolean PRINTS = Boolean.getBoolean("ib.sim.trace");

  private long hash = 0xcbf29ce484222325L;
  private long packets;

  void mix(long value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15L;
    hash ^= hash >>> 29;
  }

  void packet(Packet p, long now) {
    packets++;
    if (PRINTS) {
      System.out.printf(
          "%d %06x>%06x opcode %02x psn %06x+%d length %d syndrome %02x%s%n",
          now,
          p.sourceQpn,
          p.destQpn,
          p.opcode,
          p.psn,
          p.psnCount,
          p.payload.length(),
          p.syndrome,
          p.damaged ? " damaged" : "");
    }
    mix(now);
    mix((long) p.psn << 40 | (long) p.psnCount << 24 | (long) p.opcode << 16 | p.syndrome);
    mix((long) p.destQpn << 32 | p.sourceQpn);
    mix(p.payload.length() * 2L + (p.damaged ? 1 : 0));
  }

  long hash() {
    return hash;
  }

  long packets() {
    return packets;
  }
}
