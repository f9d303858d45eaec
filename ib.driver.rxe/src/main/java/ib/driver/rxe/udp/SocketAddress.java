package ib.driver.rxe.udp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Converts between GIDs and the structures sockaddr_in and sockaddr_in6 of Linux. */
final class SocketAddress {
  static final int BYTES = 28;
  static final int FOUR_BYTES = 16;

  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfShort NET_SHORT = SHORT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfInt NET_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong NET_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private SocketAddress() {}

  /** Writes an address. {@return its length in bytes} */
  static int write(
      MemorySegment to, long at, boolean four, long high, long low, int port, int scope) {
    to.set(SHORT, at, (short) (four ? Libc.AF_INET : Libc.AF_INET6));
    to.set(NET_SHORT, at + 2, (short) port);
    if (four) {
      to.set(NET_INT, at + 4, (int) low);
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 8, 0);
      return FOUR_BYTES;
    }
    to.set(INT, at + 4, 0);
    to.set(NET_LONG, at + 8, high);
    to.set(NET_LONG, at + 16, low);
    boolean scoped = high >>> 54 == 0xfe80 >>> 6 || high >>> 56 == 0xff;
    to.set(INT, at + 24, scoped ? scope : 0);
    return BYTES;
  }

  static int port(MemorySegment from, long at) {
    return from.get(NET_SHORT, at + 2) & 0xffff;
  }

  static long high(MemorySegment from, long at, boolean four) {
    return four ? 0 : from.get(NET_LONG, at + 8);
  }

  static long low(MemorySegment from, long at, boolean four) {
    return four
        ? 0xffffL << 32 | from.get(NET_INT, at + 4) & 0xffffffffL
        : from.get(NET_LONG, at + 16);
  }
}
