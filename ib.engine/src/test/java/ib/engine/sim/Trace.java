package ib.engine.sim;

import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32;

/**
 * A hash of all that happens, in order: two runs of one seed must agree. {@code
 * -Dib.sim.trace=true} prints every packet.
 */
final class Trace {
  private static final boolean PRINTS = Boolean.getBoolean("ib.sim.trace");

  private final boolean bytes;
  private long hash = 0xcbf29ce484222325L;
  private long packets;

  /**
   * Begins one.
   *
   * @param bytes whether those of payloads count too; headers always do
   */
  Trace(boolean bytes) {
    this.bytes = bytes;
  }

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
    mix(p.remoteAddress);
    mix((long) p.rkey << 32 | p.immData & 0xffffffffL);
    mix(p.swapAdd);
    mix(p.compare);
    mix((long) p.msn << 32 | p.dmaLength);
    if (bytes) {
      for (int i = 0; i < p.payload.count(); i++) {
        mix(p.payload.segment(i).asSlice(p.payload.offset(i), p.payload.length(i)));
      }
    }
  }

  private void mix(MemorySegment part) {
    CRC32 crc = new CRC32();
    crc.update(part.toArray(ValueLayout.JAVA_BYTE)); // inline data stands in words
    mix(crc.getValue());
  }

  long hash() {
    return hash;
  }

  long packets() {
    return packets;
  }
}
