package ib.bench.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * What a RoCE in software cannot do without: a copy of each packet between the user's memory and
 * the socket's buffer, and a CRC32 over it, at each end. For one thread.
 */
final class Duty {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final MemorySegment user = Arena.ofAuto().allocate(Socket.LONG, 64);
  private final CRC32 crc = new CRC32();
  private MemorySegment seen = MemorySegment.NULL;
  private ByteBuffer view = ByteBuffer.allocateDirect(0);

  /** Copies packets to a message and ends each with its CRC. */
  void send(MemorySegment message, int bytes, int packet) {
    for (int at = 0; at < bytes; at += packet) {
      int payload = packet - Integer.BYTES;
      MemorySegment.copy(user, at, message, at, payload);
      message.set(INT, (long) at + payload, sum(message, at, payload));
    }
  }

  /** Compares the CRC of each packet of a message, and copies the packet. */
  void received(MemorySegment message, int bytes, int packet) {
    for (int at = 0; at + packet <= bytes; at += packet) {
      int payload = packet - Integer.BYTES;
      if (message.get(INT, (long) at + payload) != sum(message, at, payload)) {
        throw new IllegalStateException("a wrong CRC");
      }
      MemorySegment.copy(message, at, user, at, payload);
    }
  }

  private int sum(MemorySegment message, int at, int bytes) {
    if (message.address() != seen.address()) {
      seen = message;
      view = message.asByteBuffer();
    }
    crc.reset();
    crc.update(view.limit(at + bytes).position(at));
    return (int) crc.getValue();
  }
}
