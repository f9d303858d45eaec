package ib.bench.net;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** What the checksum of a packet costs on this processor: each end of RoCE makes it once. */
final class Crc {
  private static final int BYTES = 4096;
  private static final int AT_ONCE = 1000;

  private Crc() {}

  /** {@return ns for {@value #BYTES} B, the least of many series} */
  static double perPacketNs(long ms) {
    ByteBuffer packet = ByteBuffer.allocateDirect(BYTES);
    CRC32 crc = new CRC32();
    long end = System.nanoTime() + ms * 1_000_000;
    long least = Long.MAX_VALUE;
    for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
      for (int i = 0; i < AT_ONCE; i++) {
        crc.update(packet.clear());
      }
      least = Math.min(least, System.nanoTime() - start);
    }
    packet.putLong(0, crc.getValue()); // so that it is not left out
    return least / (double) AT_ONCE;
  }
}
