package ib.driver.verbs.cm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/** {@code sockaddr_in} and {@code sockaddr_in6} in memory of C. */
final class Sockaddr {
  /** Size of {@code sockaddr_storage}. */
  static final int MAX_BYTES = 128;

  private static final short AF_INET = 2;
  private static final short AF_INET6 = 10;
  private static final int V4_BYTES = 16; // of the structure
  private static final int V6_BYTES = 28;
  private static final long PORT = 2;
  private static final long V4_ADDRESS = 4;
  private static final long V6_ADDRESS = 8;
  private static final long V6_SCOPE = 24;
  private static final ValueLayout.OfShort BE_SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Sockaddr() {}

  /**
   * Writes an address.
   *
   * @param scope index of the interface, of an address that is valid on its link only
   * @return the bytes that it takes
   */
  static int write(MemorySegment into, long at, InetSocketAddress address, int scope) {
    byte[] raw = address.getAddress().getAddress();
    boolean four = address.getAddress() instanceof Inet4Address;
    into.set(ValueLayout.JAVA_SHORT, at, four ? AF_INET : AF_INET6);
    into.set(BE_SHORT, at + PORT, (short) address.getPort());
    long to = at + (four ? V4_ADDRESS : V6_ADDRESS);
    MemorySegment.copy(raw, 0, into, ValueLayout.JAVA_BYTE, to, raw.length);
    if (!four && address.getAddress().isLinkLocalAddress()) {
      into.set(ValueLayout.JAVA_INT_UNALIGNED, at + V6_SCOPE, scope);
    }
    return four ? V4_BYTES : V6_BYTES;
  }

  /** {@return the address that the kernel has written} */
  static InetSocketAddress read(MemorySegment from, long at) {
    boolean four = from.get(ValueLayout.JAVA_SHORT, at) == AF_INET;
    byte[] raw = new byte[four ? 4 : 16];
    long source = at + (four ? V4_ADDRESS : V6_ADDRESS);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, source, raw, 0, raw.length);
    try {
      InetAddress address = InetAddress.getByAddress(raw);
      return new InetSocketAddress(address, from.get(BE_SHORT, at + PORT) & 0xffff);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // only for another length
    }
  }
}
